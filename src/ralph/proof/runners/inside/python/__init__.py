"""Found first on the search path of a Python that runs tests."""
