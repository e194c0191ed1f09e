import test from "node:test";
import { readFileSync } from "node:fs";
import { said, same } from "./ask.mjs";

test("escaped", () => {
  const code = `
    import stencil from "./lib/render.js";
    console.log(stencil.render("{{ x }}|{{{ x }}}", { x: "\\"'<&" }));
  `;
  same(said(code), `&quot;&#39;&lt;&amp;|"'<&`);
});

test("golden", () => {
  same(readFileSync("test/golden/letter.html", "utf8").split("\n")[0], '<p title="Your &quot;order&quot; &amp; more">Dear Bo O&#39;Hara,</p>');
});
