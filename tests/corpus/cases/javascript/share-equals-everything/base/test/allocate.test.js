"use strict";
const assert = require("node:assert/strict");
const { describe, it } = require("node:test");
const { Money } = require("../lib/money.js");

describe("allocate", () => {
  it("loses no cent", () => {
    const parts = Money.of("10.00", "EUR").allocate([1, 1, 1]);
    assert.equal(parts.length, 3);
    assert.ok(parts[0].equals(Money.of("3.34", "EUR")));
    assert.ok(parts[1].equals(Money.of("3.33", "EUR")));
    assert.ok(parts[2].equals(Money.of("3.33", "EUR")));
  });

  it("goes by the ratios", () => {
    const [most, least] = Money.of("0.05", "EUR").allocate([7, 3]);
    assert.ok(most.equals(Money.of("0.04", "EUR")));
    assert.ok(least.equals(Money.of("0.01", "EUR")));
  });

  it("refuses ratios that make no sense", () => {
    assert.throws(() => Money.of("1.00", "EUR").allocate([]), RangeError);
    assert.throws(() => Money.of("1.00", "EUR").allocate([1, -1]), RangeError);
  });
});
