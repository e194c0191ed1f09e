import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as steady from "../src/index.js";

const { retry } = steady;
const settled = () => new Promise((resolve) => setImmediate(resolve));
const fails = async (attempt) => {
  throw new TypeError(`no ${attempt}`);
};

describe("RetryError", () => {
  it("has a cause", async () => {
    await assert.rejects(retry(fails, { attempts: 2, wait: async () => {} }), (error) => {
      assert.ok(error instanceof steady.RetryError);
      assert.equal(error.name, "RetryError");
      assert.equal(error.attempts, 2);
      assert.ok(error.cause instanceof TypeError);
      assert.equal(error.message, "gave up after 2 attempts: no 2");
      return true;
    });
  });

  it("copes with what is no error", async () => {
    const task = () => Promise.reject("nope");
    await assert.rejects(retry(task, { attempts: 1 }), { message: "gave up after 1 attempts: nope", cause: "nope" });
  });
});

describe("waiting", () => {
  it("takes as long as it should", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const task = t.mock.fn(fails);
    const outcome = retry(task, { attempts: 2, delay: () => 1000 }).catch((error) => error);
    await settled();
    t.mock.timers.tick(999);
    await settled();
    assert.equal(task.mock.callCount(), 1);
    t.mock.timers.tick(1);
    assert.equal((await outcome).name, "RetryError");
    assert.equal(task.mock.callCount(), 2);
  });
});

describe("signal", () => {
  it("stops before the first attempt", async (t) => {
    const task = t.mock.fn();
    await assert.rejects(retry(task, { signal: AbortSignal.abort() }), { name: "AbortError" });
    assert.equal(task.mock.callCount(), 0);
  });

  it("stops while it waits", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const task = t.mock.fn(fails);
    const controller = new AbortController();
    const outcome = retry(task, { delay: () => 60_000, signal: controller.signal }).catch((error) => error);
    await settled();
    const reason = new Error("closing time");
    controller.abort(reason);
    assert.equal(await outcome, reason);
    assert.equal(task.mock.callCount(), 1);
  });
});
