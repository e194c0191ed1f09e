export class Bus {
  #listeners = new Map();

  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.off(name, listener);
  }

  off(name, listener) {
    this.#listeners.get(name)?.delete(listener);
  }

  // Calls every listener, one after the other, and waits for each.
  async emit(name, ...values) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) await listener(...values);
  }
}
