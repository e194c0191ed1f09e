"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { format } = require("../lib/format.js");

test("plain fields", () => {
  assert.equal(format([["a", 1], ["b", 2]]), "a,1\nb,2\n");
});

test("quotes where they are needed", () => {
  assert.equal(format([["a,b", 'say "x"', "c\nd"]]), '"a,b","say ""x""","c\nd"\n');
});
