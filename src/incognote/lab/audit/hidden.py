"""Notes as hidden states of an encoder, computed once for each different text: the frozen regime needs no more of the encoder."""

from collections.abc import Callable, Mapping

import numpy as np

from incognote.errors import CorpusError
from incognote.find.model import find_source
from incognote.lab.audit.alignment import Aligned
from incognote.lab.audit.learners import Matrix
from incognote.lab.encoders.states import load_states, pool_states

_CHUNK = 32


def read_states(
    notes: Aligned, model: str, *, device: str = "auto", tick: Callable[[int], None] = lambda count: None
) -> Mapping[str, Matrix]:
    """The mean of the last layer over each note, for every form; ``tick`` gets the number of texts read."""
    reader = load_states(find_source(model), device=device)
    places = {text: at for at, text in enumerate(dict.fromkeys(text for texts in notes.texts.values() for text in texts))}
    texts = list(places)
    rows = np.zeros((len(texts), reader.width), dtype=np.float32)
    for start in range(0, len(texts), _CHUNK):
        chunk = texts[start : start + _CHUNK]
        for at, states in enumerate(reader.read(chunk), start):
            if not len(states.tokens):
                raise CorpusError("there is no token in it, so it has no hidden states; take it out", document=_name_note(notes, texts[at]))
            rows[at] = pool_states(states, "mean")[0]
        tick(len(chunk))
    return {form: rows[[places[text] for text in each]] for form, each in notes.texts.items()}


def _name_note(notes: Aligned, text: str) -> str:
    return next(id for each in notes.texts.values() for id, other in zip(notes.ids, each, strict=True) if other == text)
