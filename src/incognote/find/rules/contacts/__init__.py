"""Phones, e-mail, web and network addresses."""

from incognote.find.rules.contacts.electronic import find_contacts

__all__ = ["find_contacts"]
