const SIZE = 2 ** 17;

export class Version {
  constructor(major, minor, patch) {
    Object.assign(this, { major, minor, patch });
  }

  static parse(text) {
    const match = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(text);
    if (!match) throw new SyntaxError(`not a version: ${text}`);
    return new Version(...match.slice(1).map(Number));
  }

  static tryParse(text) {
    try {
      return Version.parse(text);
    } catch {
      return null;
    }
  }

  static compare(one, other) {
    return one.valueOf() - other.valueOf();
  }

  bump(part) {
    if (part === "major") return new Version(this.major + 1, 0, 0);
    if (part === "minor") return new Version(this.major, this.minor + 1, 0);
    return new Version(this.major, this.minor, this.patch + 1);
  }

  // One number for all three, so that < and > work.
  valueOf() {
    return (this.major * SIZE + this.minor) * SIZE + this.patch;
  }

  [Symbol.toPrimitive](hint) {
    return hint === "string" ? this.toString() : this.valueOf();
  }

  toString() {
    return `${this.major}.${this.minor}.${this.patch}`;
  }
}
