import test from "node:test";
import { said, same } from "./ask.mjs";

test("hsl", () => {
  const code = `
    import { hslToRgb } from "./src/index.js";
    for (const hsl of [[300, 40, 30], [17, 83, 61], [-30, 100, 40], [725, 10, 90]]) console.log(hslToRgb(hsl).join());
  `;
  same(said(code), "107,46,107\n238,120,73\n204,0,102\n232,227,227");
});
