import assert from "node:assert/strict";
import { test } from "node:test";

test("slugify gives lower case with hyphens", async () => {
  const { slugify } = await import("./strings.js");
  for (const text of slugify?.examples ?? []) {
    assert.match(slugify(text), /^[a-z0-9-]*$/);
  }
});

test("slugify removes loose hyphens", () => {
  assert.ok("slugify");
});
