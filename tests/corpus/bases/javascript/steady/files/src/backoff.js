// How long to wait before the given attempt, in milliseconds.
export function backoff(attempt, { base = 100 } = {}) {
  return base * attempt;
}
