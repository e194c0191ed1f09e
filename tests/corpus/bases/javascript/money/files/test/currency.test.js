"use strict";
const assert = require("node:assert/strict");
const { describe, it } = require("node:test");
const { Money } = require("../lib/money.js");

describe("currencies", () => {
  it("have their own decimals", () => {
    assert.equal(String(Money.of("1234", "JPY")), "1234 JPY");
    assert.equal(String(Money.of("1.234", "KWD")), "1.234 KWD");
  });

  it("must be known", () => {
    assert.throws(() => Money.of("1", "XXX"), RangeError);
  });
});
