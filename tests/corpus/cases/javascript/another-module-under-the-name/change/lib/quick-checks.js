// Fast enough for every commit.
export function mustBe(actual, expected) {
  if (typeof actual !== typeof expected) throw new Error("not of the same kind");
}
