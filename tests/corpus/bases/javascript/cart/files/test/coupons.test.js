import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/cart.js";

const TEA = [{ price: 400, count: 2 }, { price: 1200, count: 1 }];

test("an unknown coupon changes nothing", () => {
  assert.equal(total(TEA, "NONSENSE"), 2000);
});

test("a coupon takes off its percentage", () => {
  assert.equal(total(TEA, "TEN"), 1800);
});

test("the result is rounded down", () => {
  assert.equal(total([{ price: 199, count: 1 }], "QUARTER"), 149);
});
