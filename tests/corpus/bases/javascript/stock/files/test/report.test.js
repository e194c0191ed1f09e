import { readFileSync } from "node:fs";
import test from "node:test";
import { sameLines } from "same-lines";
import { mustBe } from "#checks";
import { Stock } from "../src/stock.js";

test("the report", () => {
  const golden = readFileSync(new URL("./golden/report.txt", import.meta.url), "utf8");
  const stock = new Stock({ tea: 3, cups: 0, pots: 12 });
  mustBe(sameLines(stock.report(), golden), true);
});
