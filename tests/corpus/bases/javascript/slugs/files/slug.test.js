"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { slugify } = require("./slug");

test("joins words with hyphens", () => {
  assert.equal(slugify("Hello World"), "hello-world");
});

test("drops punctuation", () => {
  assert.equal(slugify("What's new, in 2.0?"), "what-s-new-in-2-0");
});

test("takes another separator", () => {
  assert.equal(slugify("Hello big world", { separator: "_" }), "hello_big_world");
});

test("nothing in, nothing out", () => {
  assert.equal(slugify(" - "), "");
});
