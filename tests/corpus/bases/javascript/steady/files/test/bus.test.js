import assert from "node:assert/strict";
import test from "node:test";
import { Bus } from "../src/bus.js";

test("listeners are called in order and awaited", async () => {
  const bus = new Bus();
  const heard = [];
  bus.on("tick", async (n) => {
    await null;
    heard.push(`a${n}`);
  });
  bus.on("tick", (n) => heard.push(`b${n}`));
  await bus.emit("tick", 1);
  assert.deepEqual(heard, ["a1", "b1"]);
});

test("a listener can go", async () => {
  const bus = new Bus();
  const listener = test.mock.fn();
  const stop = bus.on("tick", listener);
  await bus.emit("tick");
  stop();
  await bus.emit("tick");
  assert.equal(listener.mock.callCount(), 1);
});
