import test from "node:test";
import { said, same } from "./ask.mjs";

test("letters", () => {
  const code = `
    import all from "./index.js";
    console.log(["\u00c9t\u00e9 \u00e0 la pi\u00f1ata", "\u00deing", "c\u0153ur", "\u0110or\u0111e"].map((text) => all.slugify(text)).join());
  `;
  same(said(code), "ete-a-la-pinata,thing,coeur,dorde");
});
