import assert from "node:assert/strict";
import test from "node:test";
import { DEFAULTS, retry } from "../src/index.js";

function failing(times, value = "done") {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return value;
  };
}

test("the defaults", () => {
  assert.deepEqual(DEFAULTS, { attempts: 3, delay: 100 });
});

test("work that succeeds runs once", async () => {
  const seen = [];
  assert.equal(await retry(async (attempt) => seen.push(attempt)), 1);
  assert.deepEqual(seen, [1]);
});

test("work is tried again", async () => {
  assert.equal(await retry(failing(2), { delay: 0 }), "done");
});

test("the last error comes out", async () => {
  await assert.rejects(retry(failing(9), { delay: 0 }), /failure 3/);
});
