const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const DEFAULTS = Object.freeze({ attempts: 3, delay: 100 });

/** Run `work` until it does not throw, at most `attempts` times. */
export async function retry(work, options = {}) {
  const { attempts, delay } = { ...DEFAULTS, ...options };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts) throw error;
      await pause(delay);
    }
  }
}
