"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { escape } = require("../lib/escape.js");

test("every special character", async (t) => {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  for (const [character, entity] of Object.entries(entities)) {
    await t.test(character, () => {
      assert.equal(escape(character), entity);
      assert.equal(escape(`a${character}${character}b`), `a${entity}${entity}b`);
    });
  }
});

test("what is no text", () => {
  assert.equal(escape(12), "12");
  assert.equal(escape({ toString: () => `"` }), "&quot;");
});
