/** All attempts have failed; `cause` is the last error. */
export class RetryError extends Error {
  constructor(attempts, cause) {
    super(`gave up after ${attempts} attempts: ${cause?.message ?? cause}`, { cause });
    this.name = "RetryError";
    this.attempts = attempts;
  }
}
