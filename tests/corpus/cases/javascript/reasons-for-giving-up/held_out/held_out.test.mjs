import test from "node:test";
import { said, same } from "./ask.mjs";

test("errors", () => {
  const code = `
    import { retry, RetryError } from "./src/index.js";
    const last = new Error("flat");
    const error = await retry(() => { throw last; }, { attempts: 2, delay: () => 1 }).catch((caught) => caught);
    console.log(error instanceof RetryError, error.attempts, error.cause === last, error.message.endsWith("flat"));
  `;
  same(said(code), "true 2 true true");
});

test("signal", () => {
  const code = `
    import { retry } from "./src/index.js";
    const reason = new Error("stop");
    const control = new AbortController();
    setTimeout(() => control.abort(reason), 20);
    const caught = await retry(() => { throw new Error("x"); }, { delay: () => 5000, signal: control.signal }).catch((error) => error);
    console.log(caught === reason);
    process.exit();
  `;
  same(said(code), "true");
});
