import test from "node:test";
import { writeFileSync } from "node:fs";
import { said, same } from "./ask.mjs";

const ask = (lines) => {
  writeFileSync("held_out/asked.log", lines.join("\n") + "\n");
  return said(`
    import { execFileSync } from "node:child_process";
    process.stdout.write(execFileSync(process.execPath, ["bin/hits.js", "held_out/asked.log"]));
  `);
};

test("queries", () => {
  const lines = ["/x?a=1", "/x?b", "/x", "/y?"].map((path) => `1.1.1.1 [04/May/2024] "GET ${path}" 200 5`);
  same(ask(lines), "    3       15 /x\n    1        5 /y");
});

test("no size", () => {
  same(ask(['1.1.1.1 [04/May/2024] "GET /z" 304 -', '1.1.1.1 [04/May/2024] "GET /z" 200 7']), "    2        7 /z");
});
