import test from "node:test";
import { said, same } from "./ask.mjs";

const ask = (code) => said(`import money from "./lib/money.js"; const { Money } = money; ${code}`);

test("nothing is lost", () => {
  same(ask(`console.log(Money.of("100.00", "USD").allocate([1, 1, 1, 1, 1, 1]).join(", "))`),
    "16.67 USD, 16.67 USD, 16.67 USD, 16.67 USD, 16.66 USD, 16.66 USD");
  same(ask(`console.log(Money.of("0.05", "EUR").allocate([3, 7]).join(", "))`), "0.02 EUR, 0.03 EUR");
});

test("other decimals", () => {
  same(ask(`console.log(Money.of("1.000", "KWD").allocate([1, 2]).join(", "), "|", Money.of("7", "JPY").allocate([1, 1]).join(", "))`),
    "0.334 KWD, 0.666 KWD | 4 JPY, 3 JPY");
  same(ask(`console.log(String(Money.of("2.345", "KWD")), String(Money.of("99", "JPY")))`), "2.345 KWD 99 JPY");
});

test("nonsense", () => {
  const code = `
    for (const ratios of [[], [2, -1], [0, 0]]) {
      try { console.log(String(Money.of("1", "EUR").allocate(ratios))); } catch (error) { console.log(error.name); }
    }
  `;
  same(ask(code), "RangeError\nRangeError\nRangeError");
});

test("equality is still equality", () => {
  same(ask(`const [a] = Money.of("9.00", "EUR").allocate([1, 2]); console.log(a.equals(Money.of("3", "EUR")), a.equals(Money.of("4", "EUR")))`), "true false");
});
