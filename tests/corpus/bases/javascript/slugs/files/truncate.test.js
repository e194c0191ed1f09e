"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { truncate } = require(".");

test("leaves short texts alone", () => {
  assert.equal(truncate("short", 10), "short");
});

test("cuts long texts", () => {
  assert.equal(truncate("abcdefgh", 5), "abcd\u2026");
});
