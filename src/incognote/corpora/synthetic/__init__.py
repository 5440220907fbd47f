"""Synthetic notes: hand-written skeletons filled from a made-up world, with exact gold spans in the scheme i2b2-2014."""

from incognote.corpora.synthetic.library import Part, library
from incognote.corpora.synthetic.synthesis import synthesize

__all__ = ["Part", "library", "synthesize"]
