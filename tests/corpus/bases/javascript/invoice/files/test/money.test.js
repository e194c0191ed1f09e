import assert from "node:assert/strict";
import test from "node:test";
import { Money } from "../lib/money.js";

test("parses amounts", () => {
  assert.equal(Money.parse("3.50").cents, 350);
  assert.equal(Money.parse("3.5").cents, 350);
  assert.equal(Money.parse("-12").cents, -1200);
  assert.throws(() => Money.parse("abc"), SyntaxError);
});

test("adds and multiplies", () => {
  assert.equal(String(new Money(150).add(new Money(250))), "4.00 EUR");
  assert.equal(new Money(99).times(3).cents, 297);
  assert.throws(() => new Money(1).add(new Money(1, "USD")), TypeError);
});
