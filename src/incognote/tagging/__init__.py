"""Finding PHI: the Tagger protocol, the merge of layers, and the facts that a patient's notes share."""

from incognote.tagging.facts import Facts, gather_facts, patient_key
from incognote.tagging.merge import MergePolicy, merge
from incognote.tagging.person import PersonName, may_be_same, parse_name
from incognote.tagging.tagger import Tagger

__all__ = ["Facts", "MergePolicy", "PersonName", "Tagger", "gather_facts", "may_be_same", "merge", "parse_name", "patient_key"]
