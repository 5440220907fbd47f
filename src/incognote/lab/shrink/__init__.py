"""Making tagging models smaller: fewer bits, layers, tokens or numbers, what each costs, and a search among them."""
