"use strict";
const assert = require("node:assert/strict");
const { describe, it } = require("node:test");
const { Money } = require("../lib/money.js");

describe("money", () => {
  it("adds", () => {
    assert.equal(String(Money.of("0.10", "EUR").plus(Money.of("0.20", "EUR"))), "0.30 EUR");
  });

  it("compares", () => {
    assert.ok(Money.of("1.00", "USD").equals(Money.of("1", "USD")));
    assert.ok(!Money.of("1.00", "USD").equals(Money.of("1.01", "USD")));
    assert.ok(!Money.of("1.00", "USD").equals(Money.of("1.00", "EUR")));
  });

  it("does not mix currencies", () => {
    assert.throws(() => Money.of("1", "USD").plus(Money.of("1", "EUR")), TypeError);
  });
});
