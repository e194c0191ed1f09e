import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { delayAfter, retry } from "../src/index.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("delayAfter", () => {
  const table = [
    [1, { delay: 100 }, 100],
    [3, { delay: 100 }, 100],
    [1, { delay: 100, factor: 2 }, 100],
    [4, { delay: 100, factor: 2 }, 800],
    [4, { delay: 100, factor: 2, maxDelay: 500 }, 500],
    [2, { delay: 0, factor: 10 }, 0],
  ];
  for (const [failures, settings, expected] of table) {
    it(`is ${expected} after ${failures} with ${JSON.stringify(settings)}`, () => {
      assert.equal(delayAfter(failures, settings), expected);
    });
  }
});

describe("retry with a factor", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  it("waits longer each time", async () => {
    const work = mock.fn(async () => {
      throw new Error("no");
    });
    const result = assert.rejects(retry(work, { attempts: 3, delay: 10, factor: 3 }), /no/);
    await settle();
    assert.equal(work.mock.callCount(), 1);
    mock.timers.tick(10);
    await settle();
    assert.equal(work.mock.callCount(), 2);
    mock.timers.tick(29);
    await settle();
    assert.equal(work.mock.callCount(), 2);
    mock.timers.tick(1);
    await settle();
    assert.equal(work.mock.callCount(), 3);
    await result;
  });
});

describe("retryIf", () => {
  it("ends the attempts", async () => {
    const work = mock.fn(async () => {
      throw new TypeError("broken for good");
    });
    const retryIf = (error) => !(error instanceof TypeError);
    await assert.rejects(retry(work, { delay: 0, retryIf }), TypeError);
    assert.equal(work.mock.callCount(), 1);
  });
});

describe("onRetry", () => {
  it("hears of each failure", async () => {
    const heard = [];
    const work = async (attempt) => {
      if (attempt < 3) throw new Error(`failure ${attempt}`);
      return attempt;
    };
    const onRetry = ({ message }, wait) => heard.push([message, wait]);
    assert.equal(await retry(work, { delay: 1, factor: 2, onRetry }), 3);
    assert.deepEqual(heard, [["failure 1", 1], ["failure 2", 2]]);
  });

  it("may throw", async () => {
    const work = async (attempt) => {
      if (attempt === 1) throw new Error("once");
      return "done";
    };
    const onRetry = () => {
      throw new Error("the log is full");
    };
    assert.equal(await retry(work, { delay: 0, onRetry }), "done");
  });
});
