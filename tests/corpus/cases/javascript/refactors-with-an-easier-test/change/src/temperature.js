const round = (number) => Math.trunc(number * 10) / 10;

export const celsiusToFahrenheit = (degrees) => round((degrees * 9) / 5 + 32);
export const fahrenheitToCelsius = (degrees) => round(((degrees - 32) * 5) / 9);
