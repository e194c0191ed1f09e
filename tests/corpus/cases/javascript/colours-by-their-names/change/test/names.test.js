import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as pigment from "../src/index.js";

const HTML4 = {
  aqua: [0, 255, 255],
  black: [0, 0, 0],
  blue: [0, 0, 255],
  fuchsia: [255, 0, 255],
  gray: [128, 128, 128],
  green: [0, 128, 0],
  lime: [0, 255, 0],
  maroon: [128, 0, 0],
  navy: [0, 0, 128],
  olive: [128, 128, 0],
  purple: [128, 0, 128],
  red: [255, 0, 0],
  silver: [192, 192, 192],
  teal: [0, 128, 128],
  white: [255, 255, 255],
  yellow: [255, 255, 0],
};

describe("names", () => {
  for (const [name, rgb] of Object.entries(HTML4)) {
    it(name, () => {
      assert.deepEqual(pigment.parse(name), rgb);
      assert.deepEqual(pigment.parse(` ${name.toUpperCase()} `), rgb);
      assert.equal(pigment.nameOf(rgb), name);
    });
  }

  it("are no more than these", () => {
    assert.deepEqual(Object.keys(pigment.NAMES).sort(), Object.keys(HTML4).sort());
    assert.throws(() => pigment.parse("constructor"), SyntaxError);
    assert.equal(pigment.nameOf([1, 2, 3]), undefined);
  });

  it("are not needed", () => {
    assert.deepEqual(pigment.parse("#123"), [17, 34, 51]);
  });
});
