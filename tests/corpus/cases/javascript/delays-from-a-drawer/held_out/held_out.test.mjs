import test from "node:test";
import { said, same } from "./ask.mjs";

test("delays", () => {
  const code = `
    import { backoff } from "./src/index.js";
    console.log(backoff(5), backoff(1), backoff(3, { base: 7 }), backoff(99), backoff(3, { limit: 250 }), backoff(5));
  `;
  same(said(code), "1600 100 28 30000 250 1600");
});
