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

test("letters of other alphabets are written in plain ones", () => {
  assert.equal(slugify("Cr\u00e8me br\u00fbl\u00e9e"), "creme-brulee");
  assert.equal(slugify("Stra\u00dfe"), "strasse");
  assert.equal(slugify("\u00c6r\u00f8"), "aero");
  assert.equal(slugify("\u0141\u00f3d\u017a"), "lodz");
});
