import test from "node:test";
import { said, same } from "./ask.mjs";

test("other baskets", () => {
  const code = `
    import { total } from "./src/cart.js";
    const prices = [[3150, "QUARTER"], [999, "TEN"], [0, "TEN"], [21, "NO"]];
    console.log(JSON.stringify(prices.map(([price, coupon]) => total([{ price, count: 1 }], coupon))));
  `;
  same(said(code), '[2362,899,0,21]');
});

test("what worked before", () => {
  const code = `
    import { subtotal, total } from "./src/cart.js";
    console.log(subtotal([{ price: 7, count: 3 }]), total([{ price: 7, count: 3 }]));
  `;
  same(said(code), '21 21');
});
