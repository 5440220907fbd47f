"""The build of the model that ships with the package: ``python -m incognote.lab.default_model``."""
