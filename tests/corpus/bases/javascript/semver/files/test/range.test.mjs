import assert from "node:assert/strict";
import test from "node:test";
import { satisfies } from "../range.mjs";

test("exactly", () => {
  assert.equal(satisfies("1.2.3", "1.2.3"), true);
  assert.equal(satisfies("1.2.4", "1.2.3"), false);
});

test("caret", () => {
  assert.equal(satisfies("1.9.0", "^1.2.3"), true);
  assert.equal(satisfies("1.2.2", "^1.2.3"), false);
  assert.equal(satisfies("2.0.0", "^1.2.3"), false);
});

test("tilde", () => {
  assert.equal(satisfies("1.2.9", "~1.2.3"), true);
  assert.equal(satisfies("1.3.0", "~1.2.3"), false);
});
