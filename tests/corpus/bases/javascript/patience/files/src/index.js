export { Cache } from "./cache.js";
export { memo } from "./memo.js";
export { DEFAULTS, retry } from "./retry.js";
