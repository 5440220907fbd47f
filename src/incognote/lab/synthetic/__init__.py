"""Generates synthetic notes from hand-written templates, and puts made-up PHI into real text; every gold span is exact."""

from incognote.lab.synthetic.checks import check_library
from incognote.lab.synthetic.injection import inject
from incognote.lab.synthetic.library import Part, library, template_sets
from incognote.lab.synthetic.synthesis import synthesize

__all__ = ["Part", "check_library", "inject", "library", "synthesize", "template_sets"]
