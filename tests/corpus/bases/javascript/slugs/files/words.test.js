"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { titleCase } = require(".");

test("title case", () => {
  assert.equal(titleCase("the old man"), "The Old Man");
});
