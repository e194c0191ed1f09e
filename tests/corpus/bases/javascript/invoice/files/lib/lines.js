import { Money } from "./money.js";

// "2 x Tea @ 3.50"
export function parseLine(text) {
  const match = /^\s*(\d+)\s*x\s+(.+?)\s+@\s*(\S+)\s*$/.exec(text);
  if (!match) throw new SyntaxError(`not a line of an invoice: ${text}`);
  const [, count, name, price] = match;
  return { count: Number(count), name, price: Money.parse(price) };
}

export function parseLines(text) {
  return text.split("\n").filter((line) => line.trim()).map(parseLine);
}
