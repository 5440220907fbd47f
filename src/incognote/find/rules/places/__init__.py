"""Addresses, rooms, postcodes and places."""
