"""The run on a full screen, from another terminal: `ralph watch`."""
