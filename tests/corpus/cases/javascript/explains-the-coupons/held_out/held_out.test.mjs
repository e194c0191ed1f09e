import { readFileSync } from "node:fs";
import test from "node:test";
import { said, same } from "./ask.mjs";

test("coupons are explained", () => {
  const text = readFileSync("README.md", "utf8");
  same(/## Coupons/.test(text) && /rounded down/.test(text), true);
});

test("what worked before", () => {
  same(said('import { total } from "./src/cart.js"; console.log(total([{ price: 999, count: 1 }], "TEN"));'), "899");
});
