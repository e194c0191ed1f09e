"""An address book."""
