import { backoff } from "./backoff.js";
import { RetryError } from "./errors.js";

function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    function stop() {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal?.addEventListener("abort", stop, { once: true });
  });
}

export async function retry(task, { attempts = 3, delay = backoff, wait = sleep, signal } = {}) {
  let last;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await task(attempt);
    } catch (error) {
      last = error;
    }
    if (attempt < attempts) await wait(delay(attempt), signal);
  }
  throw new RetryError(attempts, last);
}
