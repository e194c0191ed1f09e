import assert from "node:assert/strict";
import test from "node:test";
import { parseLine, parseLines } from "../lib/lines.js";

test("reads a line", () => {
  const line = parseLine("2 x Green tea @ 3.50");
  assert.equal(line.count, 2);
  assert.equal(line.name, "Green tea");
  assert.equal(line.price.cents, 350);
});

test("empty lines do not count", () => {
  assert.equal(parseLines("1 x Tea @ 1\n\n 2 x Cake @ 2.25\n").length, 2);
});

test("anything else is refused", () => {
  assert.throws(() => parseLine("tea"), SyntaxError);
});
