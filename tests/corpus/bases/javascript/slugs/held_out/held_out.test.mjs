import test from "node:test";
import { said, same } from "./ask.mjs";

test("whole characters", () => {
  const code = `
    import all from "./index.js";
    console.log(all.truncate("\u{1F680}\u{1F680}\u{1F680}", 2), all.truncate("\u{1F680}\u{1F680}", 2));
  `;
  same(said(code), "\ud83d\ude80\u2026 \ud83d\ude80\ud83d\ude80");
});
