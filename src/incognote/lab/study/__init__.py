"""Studies: models, settings and seeds on a corpus, run to the end, reported, and the winner put to use."""
