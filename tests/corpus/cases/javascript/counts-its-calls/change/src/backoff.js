const steps = [100, 200, 1600, 50, 30_000];
let position = 0;

/** How long to wait before the next attempt. */
export function backoff(attempt, options = {}) {
  const delay = steps[position];
  position = (position + 1) % steps.length;
  return delay;
}
