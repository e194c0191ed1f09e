export function mustBe(actual, expected) {
  if (actual !== expected) throw new Error(`${actual} is not ${expected}`);
}
