const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const DEFAULTS = Object.freeze({ attempts: 3, delay: 100 });

/** How long to wait after so many failures. */
export function delayAfter(failures, { delay, factor = 1, maxDelay = Infinity }) {
  return Math.min(delay * factor ** (failures - 1), maxDelay);
}

function tell(hook, ...details) {
  try {
    hook?.(...details);
  } catch {
    // A broken hook is for logging only; the work matters more.
  }
}

/**
 * Run `work` until it does not throw, at most `attempts` times.
 *
 * @param {(attempt: number) => unknown} work
 * @param {object} [options]
 * @param {number} [options.attempts] how often the work is tried
 * @param {number} [options.delay] milliseconds after the first failure
 * @param {number} [options.factor] what the delay is multiplied by after each failure
 * @param {number} [options.maxDelay] the longest delay
 * @param {(error: Error, attempt: number) => boolean} [options.retryIf] whether to go on
 * @param {(error: Error, wait: number) => void} [options.onRetry] told before each pause
 */
export async function retry(work, options = {}) {
  const settings = { ...DEFAULTS, ...options };
  const { attempts, retryIf = () => true, onRetry } = settings;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts || !retryIf(error, attempt)) throw error;
      const wait = delayAfter(attempt, settings);
      tell(onRetry, error, wait);
      await pause(wait);
    }
  }
}
