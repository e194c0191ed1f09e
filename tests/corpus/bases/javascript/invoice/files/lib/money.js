export class Money {
  constructor(cents, currency = "EUR") {
    if (!Number.isInteger(cents)) throw new TypeError(`not a number of cents: ${cents}`);
    this.cents = cents;
    this.currency = currency;
  }

  static parse(text, currency = "EUR") {
    const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text);
    if (!match) throw new SyntaxError(`not an amount: ${text}`);
    const [, sign, whole, part = ""] = match;
    const cents = Number(whole) * 100 + Number(part.padEnd(2, "0"));
    return new Money(sign ? -cents : cents, currency);
  }

  add(other) {
    if (other.currency !== this.currency) throw new TypeError("currencies differ");
    return new Money(this.cents + other.cents, this.currency);
  }

  times(factor) {
    return new Money(Math.round(this.cents * factor), this.currency);
  }

  toString() {
    return `${(this.cents / 100).toFixed(2)} ${this.currency}`;
  }
}
