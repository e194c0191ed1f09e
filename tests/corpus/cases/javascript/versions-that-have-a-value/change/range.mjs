import { Version } from "./version.mjs";

// "^1.2.0", "~1.2.0" or "1.2.0"
export function satisfies(version, range) {
  const [, sign, text] = /^([~^]?)(.+)$/.exec(range);
  const asked = Version.parse(version);
  const wanted = Version.parse(text);
  if (sign === "") return Version.compare(asked, wanted) === 0;
  if (asked < wanted || asked.major !== wanted.major) return false;
  return sign === "^" || asked.minor === wanted.minor;
}
