"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { format, parse } = require("../lib/index.js");
const cases = require("./fixtures/line-ends.json");

for (const { name, text, rows } of cases) {
  test(`line ends: ${name}`, () => {
    assert.deepEqual(parse(text), rows);
  });
}

test("what format writes, parse reads", () => {
  const rows = [["a\nb", 'c"d', "e,f"], ["", "g\r\n", "h"]];
  assert.deepEqual(parse(format(rows)), rows);
});
