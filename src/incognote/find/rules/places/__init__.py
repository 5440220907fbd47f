"""Addresses, cities, states, countries, postcodes and rooms."""

from incognote.find.rules.places.addresses import find_addresses
from incognote.find.rules.places.gazetteer import find_places
from incognote.find.rules.places.postcodes import find_postcodes
from incognote.find.rules.places.rooms import find_side_rooms

__all__ = ["find_addresses", "find_places", "find_postcodes", "find_side_rooms"]
