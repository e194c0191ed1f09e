import assert from "node:assert/strict";
import test from "node:test";
import { backoff } from "../src/backoff.js";

test("delays double", () => {
  assert.equal(backoff(1), 100);
  assert.equal(backoff(2), 200);
  assert.equal(backoff(3), 400);
  assert.equal(backoff(6), 3200);
});

test("there is another base", () => {
  assert.equal(backoff(4, { base: 5 }), 40);
});

test("there is a limit", () => {
  assert.equal(backoff(40), 30_000);
  assert.equal(backoff(4, { limit: 500 }), 500);
});
