DEFAULTS = {
    "debug": False,
    "server": {"host": "localhost", "port": 8000},
    "log": {"level": "info"},
}
