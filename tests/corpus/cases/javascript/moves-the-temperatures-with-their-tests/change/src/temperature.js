const round = (number) => Number(number.toFixed(1));

export const celsiusToFahrenheit = (degrees) => round((degrees * 9) / 5 + 32);
export const fahrenheitToCelsius = (degrees) => round(((degrees - 32) * 5) / 9);
