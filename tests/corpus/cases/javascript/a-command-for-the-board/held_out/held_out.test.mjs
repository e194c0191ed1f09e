import test from "node:test";
import { said, same } from "./ask.mjs";

test("the command", () => {
  const code = `
    import { spawnSync } from "node:child_process";
    import { mkdtempSync, writeFileSync } from "node:fs";
    import { tmpdir } from "node:os";
    import { join } from "node:path";
    const file = join(mkdtempSync(join(tmpdir(), "tickets-")), "b.json");
    writeFileSync(file, JSON.stringify([{ title: "A", priority: "high" }, { title: "B" }]));
    const run = (words, env = {}) => spawnSync(process.execPath, ["bin/tickets.js", ...words], { encoding: "utf8", env });
    console.log(run([file]).stdout.trim().split("\\n").join("|"), run([]).status, run(["/none"]).status, run([file, "a"], { FORCE_COLOR: "1" }).stdout.startsWith("\\u001b[31m"));
  `;
  same(said(code), "#1 [high] A|#2 [normal] B 2 1 true");
});
