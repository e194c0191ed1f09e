"use strict";

const LINE = /^(\S+) \[([^\]]+)\] "([A-Z]+) (\S+)" (\d{3}) (\d+|-)$/;

// One request, or null if the line is none.
function parseLine(line) {
  const match = LINE.exec(line);
  if (!match) return null;
  const [, host, time, method, path, status, bytes] = match;
  const size = bytes === "-" ? 0 : Number(bytes);
  return { host, time, method, path: path.split("?")[0], status: Number(status), bytes: size };
}

module.exports = { parseLine };
