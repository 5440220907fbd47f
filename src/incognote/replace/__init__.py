"""Replacing PHI: masks, numbered placeholders or realistic surrogates, as a policy says."""

from incognote.replace.keys import KEY_VARIABLE, key_from_environment, random_key, read_key, write_key
from incognote.replace.marks import MASKS, Marks
from incognote.replace.modes import MODES, PolicyReplacer, make_replacer
from incognote.replace.policy import ACTIONS, Policy, load_policy, policy_names
from incognote.replace.replacer import Edit, Replacer, rewrite
from incognote.replace.vault import Vault, open_vault

__all__ = [
    "ACTIONS",
    "KEY_VARIABLE",
    "MASKS",
    "MODES",
    "Edit",
    "Marks",
    "Policy",
    "PolicyReplacer",
    "Replacer",
    "Vault",
    "key_from_environment",
    "load_policy",
    "make_replacer",
    "open_vault",
    "policy_names",
    "random_key",
    "read_key",
    "rewrite",
    "write_key",
]
