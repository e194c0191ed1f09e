import assert from "node:assert/strict";
import test from "node:test";
import { backoff } from "../src/backoff.js";

test("it doubles", () => {
  assert.equal(backoff(1), 100);
  assert.equal(backoff(2), 200);
  assert.equal(backoff(5), 1600);
});

test("it has a cap", () => {
  assert.equal(backoff(4, { base: 10, cap: 50 }), 50);
  assert.equal(backoff(40), 30_000);
});
