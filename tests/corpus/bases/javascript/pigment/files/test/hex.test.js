import assert from "node:assert/strict";
import test from "node:test";
import { hexToRgb, rgbToHex } from "../src/index.js";

test("hex to rgb", async (t) => {
  const examples = { "#ff8000": [255, 128, 0], fff: [255, 255, 255], "#0A0b0C": [10, 11, 12] };
  for (const [hex, rgb] of Object.entries(examples)) {
    await t.test(hex, () => assert.deepEqual(hexToRgb(hex), rgb));
  }
});

test("what is no colour", async (t) => {
  for (const text of ["", "#12", "#ggg", "12345"]) {
    await t.test(JSON.stringify(text), () => assert.throws(() => hexToRgb(text), SyntaxError));
  }
});

test("rgb to hex", () => {
  assert.equal(rgbToHex([255, 128, 0]), "#ff8000");
  assert.equal(rgbToHex([0, 1, 16]), "#000110");
});
