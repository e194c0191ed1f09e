import assert from "node:assert/strict";
import test from "node:test";
import { celsiusToFahrenheit, fahrenheitToCelsius, kmToMiles } from "../src/units.js";

test("celsius", () => assert.equal(celsiusToFahrenheit(37), 98.6));

test("fahrenheit", () => assert.equal(fahrenheitToCelsius(95), 35));

test("distance", () => assert.equal(kmToMiles(42.195), 26.22));
