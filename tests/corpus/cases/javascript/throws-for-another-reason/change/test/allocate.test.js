"use strict";
const assert = require("node:assert/strict");
const { describe, it } = require("node:test");
const { Money } = require("../lib/money.js");

describe("allocate", () => {
  const price = Money.of("10.00", "EUR");

  it("refuses no ratios", () => assert.throws(() => price.allocate([])));

  it("refuses negative ratios", () => assert.throws(() => price.allocate([1, -1])));

  it("refuses a sum of zero", () => assert.throws(() => price.allocate([0, 0])));

  it("leaves the amount alone", () => {
    try {
      price.allocate([1, 1, 1]);
    } finally {
      assert.equal(String(price), "10.00 EUR");
      return;
    }
  });
});
