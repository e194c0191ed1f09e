def celsius(kelvin):
    return round(kelvin - 273.15, 1)


def fahrenheit(degrees):
    return round(degrees * 9 / 5 + 32, 1)
