import test from "node:test";
import { said, same } from "./ask.mjs";

test("the layout", () => {
  const code = `
    import { Stock } from "./src/stock.js";
    console.log(new Stock({ jam: 0, ham: 10 }).report().join("|"));
  `;
  same(said(code), 'ham     10|jam     sold out');
});
