"""Synthetic notes: hand-written skeletons filled from a made-up world, and real text with made-up PHI, all with exact gold spans."""

from incognote.lab.synthetic.injection import inject
from incognote.lab.synthetic.library import Part, library
from incognote.lab.synthetic.synthesis import synthesize

__all__ = ["Part", "inject", "library", "synthesize"]
