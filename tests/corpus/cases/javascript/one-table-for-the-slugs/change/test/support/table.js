"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");

// One test for each row: its name, what comes out, and what goes in.
function table(work, rows) {
  for (const [name, expected, ...words] of rows) {
    test(name, () => assert.equal(work(...words), expected));
  }
}

module.exports = { table };
