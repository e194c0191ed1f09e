/** A map that forgets its oldest entry when it is full. */
export class Cache {
  #entries = new Map();

  constructor({ max = 100 } = {}) {
    this.max = max;
  }

  get size() {
    return this.#entries.size;
  }

  has(key) {
    return this.#entries.has(key);
  }

  get(key) {
    return this.#entries.get(key);
  }

  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.max) {
      this.#entries.delete(this.#entries.keys().next().value);
    }
    return this;
  }
}
