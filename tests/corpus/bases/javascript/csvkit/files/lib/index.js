"use strict";

const { format } = require("./format.js");
const { parse, parseObjects } = require("./parse.js");

module.exports = { format, parse, parseObjects };
