"""Which expressions of the rules fire: how often each matches, and how many spans each rule gives, on text of every kind at hand.

An expression that fires nowhere goes, unless a comment or a test says which class of text it is for. Counts only: no text is printed.
Rules read whole notes here, as under ``--model none``, so that nothing is left out; ``--near`` runs the shipped pipeline instead, whose
context rules read near what the model found.

    python bench/rules_fired.py --mtsamples NOTES.jsonl.gz --aci NOTES.jsonl.gz --meddocan dev/brat [--near] [--all] [--notes 2000]
"""

import argparse
import ast
import gzip
import importlib
import json
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import incognote.filters
import incognote.find.rules
import incognote.lexicon
from incognote import Deidentifier, Document
from incognote.find.rules.engine.pattern import Pattern, PatternTable
from incognote.lab.synthetic import synthesize
from incognote.lexicon import lazy

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
MARKUP = re.compile(r"</?[A-Z-]+>")
_PARTS = ("search", "match", "fullmatch", "finditer", "findall", "split")
fired: Counter[int] = Counter()


def main() -> None:
    """Print every expression with how often it matched, and every rule with its spans: those that never did, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mtsamples", type=Path)
    parser.add_argument("--aci", type=Path)
    parser.add_argument("--meddocan", type=Path)
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    count_matches()
    deidentifier = Deidentifier.default(mode="redact", models=None if options.near else ())
    spans: Counter[str] = Counter()
    texts = list(read_texts(options))[:: options.every]
    for start in range(0, len(texts), 64):
        documents = [Document(f"{start + at}", text) for at, text in enumerate(texts[start : start + 64])]
        for trace in deidentifier.pipeline.trace(documents):
            spans.update(span.source for layer in trace.candidates.values() for span in layer.spans)
        deidentifier.tag(documents[:4])
    names = name_expressions()
    for name, number in sorted((name, fired[number]) for number, name in names.items()):
        if options.all or not number:
            print(f"{number:9} {name}")
    print(f"{len(names)} expressions, of which {sum(not fired[number] for number in names)} never matched")
    for name in sorted({*spans, *(pattern.source for pattern in find_patterns_in(incognote.find.rules))}):
        if options.all or not spans[name]:
            print(f"{spans[name]:9} {name}")


def read_texts(options: argparse.Namespace) -> Iterator[str]:
    """Golden lines and notes, the texts of tests, MTSamples, ACI-bench, synthetic notes, MEDDOCAN."""
    for file in sorted(GOLDEN.glob("*.txt")):
        yield from (MARKUP.sub("", line) for line in file.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    for file in sorted([*GOLDEN.glob("*/*.note"), *ROOT.glob("data/notes/*/*.note")]):
        yield MARKUP.sub("", file.read_text(encoding="utf-8"))
    for file in sorted([*ROOT.glob("tests/find/rules/*.py"), *ROOT.glob("tests/filters/*.py")]):
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        yield from (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    for path in (options.mtsamples, options.aci):
        if path:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    row = json.loads(line)
                    yield from (row[key] for key in ("text", "dialogue") if row.get(key))
    yield from (document.text for document in synthesize(options.notes, seed=26))
    if options.meddocan:
        yield from (file.read_text(encoding="utf-8") for file in sorted(options.meddocan.glob("*.txt")))


def count_matches() -> None:
    """From here on every lazy expression counts its matches."""

    def compile_counting(self: Any, name: str) -> Any:
        if name.startswith("__") or name == "_written":
            raise AttributeError(name)
        compiled = re.compile(*vars(self)["_written"])
        parts = {part: getattr(compiled, part) for part in lazy._PARTS}
        vars(self).update(parts | {part: _counting(parts[part], id(self)) for part in _PARTS})
        vars(self)["sub"] = lambda new, text: _count(id(self), compiled.subn(new, text))
        return getattr(self, name)

    lazy._Lazy.__getattr__ = compile_counting  # type: ignore[method-assign]


def _counting(part: Callable[..., Any], number: int) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        found = part(*arguments, **options)
        if found is None or isinstance(found, re.Match):
            fired[number] += found is not None
            return found
        listed = list(found)
        fired[number] += len(listed)
        return iter(listed) if part.__name__ == "finditer" else listed

    return call


def _count(number: int, result: tuple[str, int]) -> str:
    fired[number] += result[1]
    return result[0]


def name_expressions() -> dict[int, str]:
    """Every lazy expression by its id: the module and name that hold it."""
    names: dict[int, str] = {}
    for package in (incognote.lexicon, incognote.find.rules, incognote.filters):
        for module in modules_of(package):
            for name, value in vars(module).items():
                for at, each in enumerate(_leaves(value)):
                    if isinstance(each, lazy._Lazy) and id(each) not in names:
                        names[id(each)] = f"{module.__name__.removeprefix('incognote.')} {name}" + (f"[{at}]" if each is not value else "")
                    if isinstance(each, Pattern):
                        names[id(each.regex)] = f"{module.__name__.removeprefix('incognote.')} {each.source}"
    return names


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, PatternTable | tuple | list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def modules_of(package: Any) -> Iterable[Any]:
    """The package and everything in it."""
    yield package
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(info.name)


def find_patterns_in(package: Any) -> Iterator[Pattern]:
    """The rows of all tables in it."""
    for module in modules_of(package):
        for value in list(vars(module).values()):
            yield from (each for each in _leaves(value) if isinstance(each, Pattern))


if __name__ == "__main__":
    main()
