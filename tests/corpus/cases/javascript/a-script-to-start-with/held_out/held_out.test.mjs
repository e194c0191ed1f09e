import test from "node:test";
import { said, same } from "./ask.mjs";

test("the command", () => {
  const code = `
    import { spawnSync } from "node:child_process";
    const run = (...words) => spawnSync(process.execPath, ["src/main.js", ...words], { encoding: "utf8" });
    console.log(run("a", "b", "a").stdout.trim().replace("\\n", "|"), run().status, run("a").status);
  `;
  same(said(code), 'a: 2|b: 1 2 0');
});
