"use strict";
const assert = require("node:assert/strict");
const { describe, it } = require("node:test");
const { Money } = require("../lib/money.js");

describe("allocate", () => {
  it("loses no cent", () => {
    const [first, second, third] = Money.of("10.00", "EUR").allocate([1, 1, 1]);
    assert.ok(first.equals(Money.of("3.34", "EUR")));
    assert.ok(second.equals(Money.of("3.33", "EUR")));
    assert.ok(third.equals(Money.of("3.33", "EUR")));
  });

  for (const [amount, ratios, wanted] of [
    [Money.of("7", "JPY"), [1, 1], "4 JPY, 3 JPY"],
    [Money.of("1.000", "KWD"), [1, 2], "0.334 KWD, 0.666 KWD"],
  ]) {
    it(`splits ${amount}`, () => {
      assert.equal(amount.allocate(ratios).join(", "), wanted);
    });
  }

  it("adds up again", () => {
    const amount = Money.of("0.05", "EUR");
    assert.ok(amount.allocate([3, 7]).reduce((one, other) => one.plus(other)).equals(amount));
  });

  it("refuses nonsense", () => {
    for (const ratios of [[], [2, -1], [0, 0]]) {
      assert.throws(() => Money.of("1", "EUR").allocate(ratios), RangeError);
    }
  });
});
