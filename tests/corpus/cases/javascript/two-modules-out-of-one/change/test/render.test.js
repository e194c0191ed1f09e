import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parseLines } from "../lib/lines.js";
import { render } from "../lib/render.js";

describe("render", () => {
  it("looks as it always did", () => {
    const golden = readFileSync(new URL("./golden/plain.txt", import.meta.url), "utf8");
    assert.equal(render(parseLines("2 x Tea @ 3.50\n1 x Cake @ 4"), { taxPercent: 10 }), golden);
  });
});
