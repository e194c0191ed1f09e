"use strict";
const { decimals } = require("./currency.js");

class Money {
  // `units` are the smallest of the currency: cents, yen, fils.
  constructor(units, currency) {
    this.units = units;
    this.currency = currency;
  }

  static of(text, currency) {
    return new Money(Math.round(Number(text) * 10 ** decimals(currency)), currency);
  }

  plus(other) {
    if (other.currency !== this.currency) throw new TypeError("Currencies differ");
    return new Money(this.units + other.units, this.currency);
  }

  // One amount for each ratio; what remains goes to the first, a unit each.
  allocate(ratios) {
    const sum = ratios.reduce((one, other) => one + other, 0);
    if (!(sum > 0) || ratios.some((ratio) => ratio < 0)) throw new RangeError("Ratios must add up to more than 0");
    const parts = ratios.map((ratio) => Math.floor((this.units * ratio) / sum));
    let rest = this.units - parts.reduce((one, other) => one + other, 0);
    return parts.map((units) => new Money(units + (rest-- > 0 ? 1 : 0), this.currency));
  }

  equals(other) {
    return this.units === other.units && this.currency === other.currency;
  }

  toString() {
    const places = decimals(this.currency);
    return `${(this.units / 10 ** places).toFixed(places)} ${this.currency}`;
  }
}

module.exports = { Money };
