"""Synthetic notes: hand-written skeletons filled from a made-up world, and real text with made-up PHI, all with exact gold spans."""

from incognote.corpora.synthetic.injection import inject
from incognote.corpora.synthetic.library import Part, library
from incognote.corpora.synthetic.synthesis import synthesize

__all__ = ["Part", "inject", "library", "synthesize"]
