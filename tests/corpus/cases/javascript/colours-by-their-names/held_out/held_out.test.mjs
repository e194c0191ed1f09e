import test from "node:test";
import { said, same } from "./ask.mjs";

test("names", () => {
  const code = `
    import { parse, nameOf } from "./src/index.js";
    console.log(["Teal", "olive", "SILVER", "#abc"].map((name) => parse(name).join()).join(" "), nameOf([255, 0, 255]), nameOf([9, 9, 9]));
  `;
  same(said(code), "0,128,128 128,128,0 192,192,192 170,187,204 fuchsia undefined");
});
