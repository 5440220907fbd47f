"""The tasks an encoder can be trained for, one module each."""
