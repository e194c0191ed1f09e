import test from "node:test";
import { said, same } from "./ask.mjs";

test("reservations", () => {
  const code = `
    import { Stock } from "./src/stock.js";
    const stock = new Stock({ jam: 4 });
    console.log([9, 3, 2].map((count) => stock.reserve("jam", count)), stock.counts.jam);
  `;
  same(said(code), '[ false, true, false ] 1');
});

test("the report", () => {
  const code = `
    import { Stock } from "./src/stock.js";
    console.log(new Stock({ jam: 0, ham: 10 }).report().join("|"));
  `;
  same(said(code), 'ham: 10|jam: sold out');
});
