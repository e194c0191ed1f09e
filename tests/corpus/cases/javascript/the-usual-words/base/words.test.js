"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { plural, titleCase } = require(".");

test("title case", () => {
  assert.equal(titleCase("the old man"), "The Old Man");
});

test("plural", () => {
  assert.equal(plural("cat"), "cats");
  assert.equal(plural("box"), "boxes");
  assert.equal(plural("church"), "churches");
  assert.equal(plural("city"), "cities");
  assert.equal(plural("day"), "days");
});
