const round = (number, places) => Number(number.toFixed(places));

export const celsiusToFahrenheit = (degrees) => round((degrees * 9) / 5 + 32, 1);
export const fahrenheitToCelsius = (degrees) => round(((degrees - 32) * 5) / 9, 1);
export const kmToMiles = (distance) => round(distance * 0.621371, 2);
