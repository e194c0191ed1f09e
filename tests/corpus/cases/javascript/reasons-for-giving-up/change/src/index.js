export { backoff } from "./backoff.js";
export { Bus } from "./bus.js";
export { RetryError } from "./errors.js";
export { retry } from "./retry.js";
