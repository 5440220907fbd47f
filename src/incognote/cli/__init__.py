"""The command line: thin shells that parse, call one core function, and print."""
