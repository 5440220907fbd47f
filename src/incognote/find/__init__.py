"""Finding candidate spans: the Finder protocol, rules and encoders."""
