import test from "node:test";
import { said, same } from "./ask.mjs";

const render = (template, data) => said(`
  import stencil from "./lib/render.js";
  try {
    console.log(stencil.render(${JSON.stringify(template)}, ${JSON.stringify(data)}));
  } catch (error) {
    console.log("error: " + /shout/.test(error.message));
  }
`);

test("filters", () => {
  same(render("{{ x | upper }}", { x: "a<b" }), "A&lt;B");
  same(render("[{{ x | trim | lower }}]", { x: " Ab " }), "[ab]");
});

test("unknown", () => same(render("{{ x | shout }}", { x: 1 }), "error: true"));
