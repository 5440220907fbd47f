"""Training: recipes, the data they name, one loop for every machine, and the Checkpoints and Runs that come of it."""
