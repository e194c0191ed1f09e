import test from "node:test";
import { said, same } from "./ask.mjs";

test("delays", () => {
  const code = `
    import { backoff } from "./src/backoff.js";
    console.log(backoff(3), backoff(2, { base: 7 }), backoff(9, { cap: 1000 }), backoff(1));
  `;
  same(said(code), "400 14 1000 100");
});
