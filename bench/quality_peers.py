"""Presidio on the notes of bench/quality.py, in an interpreter of its own."""

import json
import subprocess
import tempfile
from collections.abc import Sequence

from incognote.document import Document, Span
from incognote.merge import merge

PROGRAM = """
import json, sys, spacy
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
class Loaded(SpacyNlpEngine):
    def __init__(self, name):
        super().__init__(ner_model_configuration=NerModelConfiguration())
        self.nlp = {"en": spacy.blank("en") if name == "blank" else spacy.load(name)}
registry = RecognizerRegistry()
registry.load_predefined_recognizers(languages=["en"])
if sys.argv[2] == "blank":
    registry.remove_recognizer("SpacyRecognizer")
analyzer = AnalyzerEngine(nlp_engine=Loaded(sys.argv[2]), registry=registry, supported_languages=["en"])
for line in open(sys.argv[1], encoding="utf-8"):
    found = analyzer.analyze(json.loads(line), language="en")
    print(json.dumps([[one.start, one.end, one.entity_type, one.score] for one in found]), flush=True)
"""


def find_with_presidio(python: str, spacy: str, documents: Sequence[Document]) -> list[Document]:
    """The documents with what Presidio's default recognizers find; its labels are its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(document.text) + "\n" for document in documents)
        file.flush()
        done = subprocess.run([python, "-c", PROGRAM, file.name, spacy], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"Presidio did not run: {(done.stderr.splitlines() or ['no reason given'])[-1]}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    found = []
    for document, row in zip(documents, rows, strict=True):
        spans = [Span(start, end, label, score=score, source="presidio") for start, end, label, score in row]
        found.append(document.with_spans(merge([spans], document.text)))
    return found
