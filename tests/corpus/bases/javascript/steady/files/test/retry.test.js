import assert from "node:assert/strict";
import test from "node:test";
import { retry } from "../src/retry.js";

const wait = async () => {};

test("the first success counts", async () => {
  const task = test.mock.fn(async (attempt) => {
    if (attempt < 3) throw new Error(`no ${attempt}`);
    return "yes";
  });
  assert.equal(await retry(task, { wait }), "yes");
  assert.equal(task.mock.callCount(), 3);
});

test("the last error is thrown", async () => {
  const task = async (attempt) => {
    throw new Error(`no ${attempt}`);
  };
  await assert.rejects(retry(task, { attempts: 2, wait }), /no 2/);
});

test("it waits between attempts", async () => {
  const waits = [];
  const task = async () => {
    throw new Error("no");
  };
  const options = { attempts: 3, delay: (n) => n * 7, wait: async (ms) => waits.push(ms) };
  await assert.rejects(retry(task, options));
  assert.deepEqual(waits, [7, 14]);
});
