"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { render } = require("../lib/render.js");
const { applyFilters, KNOWN } = require("../lib/filters.js");

test("the filters are known", () => {
  assert.deepEqual(KNOWN, ["upper", "lower", "trim"]);
});

for (const name of KNOWN) {
  test(`${name} gives a string`, () => {
    assert.equal(typeof applyFilters("Some Text", [name]), "string");
    assert.ok(!render(`{{ x | ${name} }}`, { x: "Some Text" }).includes("|"));
  });
}

test("unknown filters are handled", () => {
  assert.doesNotThrow(() => applyFilters("x", ["nope"]));
});
