import assert from "node:assert/strict";
import test from "node:test";
import { Cache, memo } from "../src/index.js";

test("get what was set", () => {
  const cache = new Cache().set("a", 1);
  assert.equal(cache.get("a"), 1);
  assert.equal(cache.has("b"), false);
});

test("the oldest goes first", () => {
  const cache = new Cache({ max: 2 }).set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  assert.equal(cache.has("b"), false);
  assert.equal(cache.get("a"), 3);
  assert.equal(cache.size, 2);
});

test("memo asks once", () => {
  let asked = 0;
  const double = memo((n) => {
    asked += 1;
    return n * 2;
  });
  assert.deepEqual([double(2), double(2), double(3)], [4, 4, 6]);
  assert.equal(asked, 2);
});
