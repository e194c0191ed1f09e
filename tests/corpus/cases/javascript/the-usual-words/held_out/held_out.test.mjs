import test from "node:test";
import { said, same } from "./ask.mjs";

test("plurals", () => {
  const code = `
    import all from "./index.js";
    console.log(["bus", "wish", "lady", "toy", "pen"].map(all.plural).join());
  `;
  same(said(code), "buses,wishes,ladies,toys,pens");
});
