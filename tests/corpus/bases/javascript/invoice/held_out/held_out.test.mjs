import test from "node:test";
import { said, same } from "./ask.mjs";

test("the tax on the sum", () => {
  const code = `
    import { total } from "./lib/invoice.js";
    import { parseLines } from "./lib/lines.js";
    console.log(total(parseLines("1 x A @ 0.36\\n1 x B @ 0.36\\n1 x C @ 0.36"), { taxPercent: 7 }).cents);
  `;
  same(said(code), "116");
});
