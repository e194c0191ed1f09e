import { Version } from "./version.mjs";

const order = (a, b) => a.major - b.major || a.minor - b.minor || a.patch - b.patch;

// "^1.2.0", "~1.2.0" or "1.2.0"
export function satisfies(version, range) {
  const [, sign, text] = /^([~^]?)(.+)$/.exec(range);
  const asked = Version.parse(version);
  const wanted = Version.parse(text);
  if (sign === "") return order(asked, wanted) === 0;
  if (order(asked, wanted) < 0 || asked.major !== wanted.major) return false;
  return sign === "^" || asked.minor === wanted.minor;
}
