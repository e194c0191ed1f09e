from weather.client import Client, WeatherError

__all__ = ["Client", "WeatherError"]
