import assert from "node:assert/strict";
import test from "node:test";
import { rgbToHsl } from "../src/index.js";

const EXAMPLES = [
  [[0, 0, 0], [0, 0, 0]],
  [[255, 255, 255], [0, 0, 100]],
  [[255, 0, 0], [0, 100, 50]],
  [[0, 128, 0], [120, 100, 25]],
  [[64, 64, 191], [240, 50, 50]],
];

test("rgb to hsl", async (t) => {
  for (const [rgb, hsl] of EXAMPLES) {
    await t.test(rgb.join(), () => assert.deepEqual(rgbToHsl(rgb), hsl));
  }
});
