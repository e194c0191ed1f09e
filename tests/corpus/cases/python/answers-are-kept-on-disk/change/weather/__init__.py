from weather.cache import Cache
from weather.client import Client, WeatherError

__all__ = ["Cache", "Client", "WeatherError"]
