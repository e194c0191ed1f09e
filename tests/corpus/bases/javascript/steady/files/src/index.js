export { backoff } from "./backoff.js";
export { Bus } from "./bus.js";
export { retry } from "./retry.js";
