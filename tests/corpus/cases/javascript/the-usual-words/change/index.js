"use strict";

const { slugify } = require("./slug");
const { truncate } = require("./truncate");
const { plural, titleCase } = require("./words");

module.exports = { plural, slugify, titleCase, truncate };
