import test from "node:test";
import { said, same } from "./ask.mjs";

test("lengths", () => {
  const code = `
    import all from "./index.js";
    console.log(["one two three", "internationalization now", "a b"].map((text) => all.slugify(text, { maxLength: 8 })).join());
  `;
  same(said(code), "one-two,internat,a-b");
});
