import { Cache } from "./cache.js";

/** Remember what `fn` said for its first argument. */
export function memo(fn, cache = new Cache()) {
  return (key) => {
    if (!cache.has(key)) cache.set(key, fn(key));
    return cache.get(key);
  };
}
