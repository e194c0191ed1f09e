import test from "node:test";
import { said, same } from "./ask.mjs";

test("initials", () => {
  const code = `
    import { initials } from "./strings.js";
    console.log(initials(" alan  m turing "), initials("") === "", initials(" "));
  `;
  same(said(code), 'AMT true');
});
