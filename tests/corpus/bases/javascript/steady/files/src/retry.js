import { setTimeout as sleep } from "node:timers/promises";
import { backoff } from "./backoff.js";

export async function retry(task, { attempts = 3, delay = backoff, wait = sleep } = {}) {
  let last;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await task(attempt);
    } catch (error) {
      last = error;
      if (attempt < attempts) await wait(delay(attempt));
    }
  }
  throw last;
}
