import assert from "node:assert/strict";
import test from "node:test";
import { main } from "../src/main.js";

test("counts words", (t) => {
  const print = t.mock.fn();
  assert.equal(main(["tea", "jam", "tea"], print), 0);
  assert.deepEqual(print.mock.calls[0].arguments, ["jam: 1\ntea: 2"]);
});

test("asks for words", () => assert.equal(main([], assert.fail), 2));
