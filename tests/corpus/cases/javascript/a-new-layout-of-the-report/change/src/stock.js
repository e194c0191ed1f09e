export class Stock {
  constructor(counts = {}) {
    this.counts = { ...counts };
  }

  add(name, count) {
    this.counts[name] = (this.counts[name] ?? 0) + count;
  }

  // Takes articles off the shelf; whether that was possible.
  reserve(name, count) {
    if ((this.counts[name] ?? 0) < count) return false;
    this.counts[name] = (this.counts[name] ?? 0) - count;
    return true;
  }

  report() {
    return Object.keys(this.counts).sort().map((name) => `${name.padEnd(8)}${this.counts[name] || "sold out"}`);
  }
}
