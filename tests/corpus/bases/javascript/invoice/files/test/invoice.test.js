import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { render, subtotal, total } from "../lib/invoice.js";
import { parseLines } from "../lib/lines.js";

describe("totals", () => {
  it("sums the lines", () => {
    assert.equal(subtotal(parseLines("2 x Tea @ 3.50\n1 x Cake @ 4")).cents, 1100);
  });

  it("adds the tax", () => {
    assert.equal(total(parseLines("1 x Tea @ 10.00"), { taxPercent: 19 }).cents, 1190);
  });

  it("rounds the tax line by line", () => {
    const lines = parseLines("1 x Pen @ 0.33\n1 x Pad @ 0.33\n1 x Clip @ 0.33");
    assert.equal(total(lines, { taxPercent: 19 }).cents, 117);
  });
});

describe("render", () => {
  it("looks as it always did", () => {
    const golden = readFileSync(new URL("./golden/plain.txt", import.meta.url), "utf8");
    assert.equal(render(parseLines("2 x Tea @ 3.50\n1 x Cake @ 4"), { taxPercent: 10 }), golden);
  });
});
