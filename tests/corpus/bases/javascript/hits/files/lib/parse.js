"use strict";

const LINE = /^(\S+) \[([^\]]+)\] "([A-Z]+) (\S+)" (\d{3}) (\d+)$/;

// One request, or null if the line is none.
function parseLine(line) {
  const match = LINE.exec(line);
  if (!match) return null;
  const [, host, time, method, path, status, bytes] = match;
  return { host, time, method, path, status: Number(status), bytes: Number(bytes) };
}

module.exports = { parseLine };
