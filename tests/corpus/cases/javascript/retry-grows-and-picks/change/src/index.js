export { Cache } from "./cache.js";
export { memo } from "./memo.js";
export { DEFAULTS, delayAfter, retry } from "./retry.js";
