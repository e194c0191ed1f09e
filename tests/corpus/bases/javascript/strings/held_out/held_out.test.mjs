import test from "node:test";
import { said, same } from "./ask.mjs";

test("slugs", () => {
  const code = `
    import { slugify } from "./strings.js";
    console.log(JSON.stringify(["Hello, World!", "  Tea & Cake  2 ", "--", "a_b", ""].map(slugify)));
  `;
  same(said(code), '["hello-world","tea-cake-2","","a-b",""]');
});

test("what worked before", () => {
  const code = `
    import { initials, shorten } from "./strings.js";
    console.log(shorten("abcdef", 3), initials("grace brewster hopper"));
  `;
  same(said(code), 'ab… GBH');
});
