import test from "node:test";
import { said, same } from "./ask.mjs";

test("the modules", () => {
  const code = `
    import * as all from "./lib/invoice.js";
    import { render } from "./lib/render.js";
    import { subtotal, total } from "./lib/totals.js";
    console.log(all.render === render, all.total === total, all.subtotal === subtotal);
  `;
  same(said(code), "true true true");
});
