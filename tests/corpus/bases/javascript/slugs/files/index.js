"use strict";

const { slugify } = require("./slug");
const { truncate } = require("./truncate");
const { titleCase } = require("./words");

module.exports = { slugify, titleCase, truncate };
