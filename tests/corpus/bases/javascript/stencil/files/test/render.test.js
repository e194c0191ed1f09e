"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { render } = require("../lib/render.js");

test("values", async (t) => {
  await t.test("are put in", () => assert.equal(render("Hi {{ name }}!", { name: "Ada" }), "Hi Ada!"));
  await t.test("may be deep", () => assert.equal(render("{{a.b}}", { a: { b: 3 } }), "3"));
  await t.test("may be missing", () => assert.equal(render("<{{ a.b.c }}>", {}), "<>"));
  await t.test("are escaped", () => assert.equal(render("{{ x }}", { x: "<b>&" }), "&lt;b&gt;&amp;"));
  await t.test("unless they are raw", () => assert.equal(render("{{{ x }}}", { x: "<b>" }), "<b>"));
});

test("each", () => {
  const out = render("{{#each rows}}[{{ n }}]{{/each}}", { rows: [{ n: 1 }, { n: 2 }] });
  assert.equal(out, "[1][2]");
});
