import assert from "node:assert/strict";
import test from "node:test";
import { hslToRgb } from "../src/index.js";

const EXAMPLES = [
  [[0, 0, 0], [0, 0, 0]],
  [[0, 0, 50], [128, 128, 128]],
  [[0, 100, 50], [255, 0, 0]],
  [[120, 100, 25], [0, 128, 0]],
  [[210, 60, 70], [133, 179, 224]],
  [[-120, 50, 50], [64, 64, 191]],
  [[420, 100, 50], [255, 255, 0]],
];

test("hsl to rgb", async (t) => {
  for (const [hsl, rgb] of EXAMPLES) {
    await t.test(hsl.join(), () => assert.deepEqual(hslToRgb(hsl), rgb));
  }
});
