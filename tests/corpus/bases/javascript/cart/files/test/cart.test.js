import assert from "node:assert/strict";
import test from "node:test";
import { subtotal, total } from "../src/cart.js";

const TEA = [{ price: 400, count: 2 }, { price: 1200, count: 1 }];

test("the subtotal adds everything", () => {
  assert.equal(subtotal(TEA), 2000);
});

test("an empty basket costs nothing", () => {
  assert.equal(total([]), 0);
});
