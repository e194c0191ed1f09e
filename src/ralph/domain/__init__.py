"""What things are: frozen values, no input or output, no clock."""
