import test from "node:test";
import { said, same } from "./ask.mjs";

test("fatal", () => {
  const code = `
    import { retry } from "./src/index.js";
    let calls = 0;
    const wrong = Object.assign(new Error("gone"), { fatal: true });
    const caught = await retry(() => { calls += 1; throw wrong; }, { attempts: 4, wait: async () => {} }).catch((error) => error);
    console.log(calls, caught === wrong);
  `;
  same(said(code), "1 true");
});

test("attempts", () => {
  const code = `
    import { retry } from "./src/index.js";
    const caught = await Promise.resolve().then(() => retry(async () => 1, { attempts: 0 })).catch((error) => error);
    console.log(caught instanceof RangeError);
  `;
  same(said(code), "true");
});
