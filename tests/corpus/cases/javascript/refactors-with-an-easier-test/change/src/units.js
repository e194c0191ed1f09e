export { celsiusToFahrenheit, fahrenheitToCelsius } from "./temperature.js";

export const kmToMiles = (distance) => Number((distance * 0.621371).toFixed(2));
