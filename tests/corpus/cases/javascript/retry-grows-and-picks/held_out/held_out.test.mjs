import test from "node:test";
import { said, same } from "./ask.mjs";

test("waits and ends", () => {
  const code = `
    import { retry } from "./src/index.js";
    const waits = [];
    const onRetry = (error, wait) => { waits.push(wait); throw new Error("hook"); };
    const bad = async () => { throw new Error("bad"); };
    let end = "";
    try { await retry(bad, { attempts: 5, delay: 1, factor: 2, maxDelay: 5, onRetry }); } catch (error) { end = error.message; }
    let calls = 0;
    try { await retry(async () => { calls += 1; throw new Error("x"); }, { delay: 0, retryIf: (error, attempt) => attempt < 2 }); } catch {}
    console.log(waits.join(), end, calls);
  `;
  same(said(code), "1,2,4,5 bad 2");
});
