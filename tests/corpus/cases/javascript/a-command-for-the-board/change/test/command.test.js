import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../bin/tickets.js", import.meta.url));

describe("the command", () => {
  let folder;
  let file;

  const run = (words, env = {}) => {
    const { status, stdout } = spawnSync(process.execPath, [command, ...words], { encoding: "utf8", env });
    return { status, lines: stdout.split("\n").filter(Boolean) };
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "tickets-"));
    file = join(folder, "board.json");
    writeFileSync(file, JSON.stringify([{ title: "Make tea" }, { title: "Drink tea", priority: "high" }]));
  });

  after(() => rmSync(folder, { recursive: true }));

  it("lists tickets", () => {
    assert.deepEqual(run([file]), { status: 0, lines: ["#1 [normal] Make tea", "#2 [high] Drink tea"] });
  });

  it("lists what matches", () => {
    assert.deepEqual(run([file, "make"]).lines, ["#1 [normal] Make tea"]);
  });

  it("knows about colours", () => {
    assert.equal(run([file, "drink"], { FORCE_COLOR: "1" }).lines[0], "\u001b[31m#2 [high] Drink tea\u001b[0m");
    assert.equal(run([file, "drink"], { FORCE_COLOR: "1", NO_COLOR: "1" }).lines[0], "#2 [high] Drink tea");
  });

  it("fails", () => {
    assert.equal(run([]).status, 2);
    assert.equal(run([join(folder, "none.json")]).status, 1);
  });
});
