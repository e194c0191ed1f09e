// Asks the candidate in a process of its own, so that nothing it does reaches the questions.
import { spawnSync } from "node:child_process";

export function said(code) {
  const words = ["--input-type=module", "--eval", code];
  const done = spawnSync(process.execPath, words, { env: {}, encoding: "utf8", timeout: 30_000 });
  if (done.status !== 0) throw new Error(done.stderr);
  return done.stdout.trimEnd();
}

export function same(actual, expected) {
  if (actual !== expected) throw new Error(`${actual} is not ${expected}`);
}
