"""Parses the template language: text with slots, topics and alternatives; every fault is named with its line.

The language is described for writers in ``docs/synthetic.md``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Fill:
    """``{slot.form}``: a value of the note's world."""

    slot: str


@dataclass(frozen=True, slots=True)
class Lines:
    """``{>topic*2-5}``: lines of a topic, joined by ``joint``, each after ``prefix`` (``#`` numbers them)."""

    topic: str
    low: int = 1
    high: int = 1
    joint: str = " "
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """``{#60-110}`` or ``{#0.5-4.5}``: a number in the range, with as many decimals as the range is written with."""

    low: float
    high: float
    places: int


@dataclass(frozen=True, slots=True)
class Meant:
    """``{=7.32/48/62}``: plain text that looks like PHI and is none; the writer means it."""

    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """``[[a|b]]``: one of the options."""

    options: "tuple[Template, ...]"


Piece: TypeAlias = str | Fill | Lines | Number | Meant | Choice
Template: TypeAlias = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and on which line of the text that was read (from 1)."""

    line: int
    message: str


_TOKEN = re.compile(
    r"\{\{|\}\}|\\\[\[|\\\]\]|\\\||\[\[\??|\]\]|\||\{[^{}\n]*\}|[{}]|(?:[^{}\[\]|\\]|\[(?!\[)|\](?!\])|\\(?!\[\[|\]\]|\|))+"
)
_LITERAL = {"{{": "{", "}}": "}", "\\[[": "[[", "\\]]": "]]", "\\|": "|"}
_LINES = re.compile(r">([a-z0-9_.]+)(?:([*/])(\d+)(?:-(\d+))?(?::(.*))?)?")
_NUMBER = re.compile(r"#(\d+(?:\.(\d+))?)-(\d+(?:\.(\d+))?)")
_FILL = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:\.[a-z0-9_]+){0,2}")


def parse(text: str) -> tuple[Template, list[Fault]]:
    """The template that the text stands for, and what is wrong with it.

    >>> parse("{patient.last} has [[?{n.eponym}]]{#1-3}{{")[0]
    (Fill(slot='patient.last'), ' has ', Choice(options=((Fill(slot='n.eponym'),), ())), Number(low=1.0, high=3.0, places=0), '{')
    >>> parse(r"[[a \\| b|c \\]] d]]")[0]
    (Choice(options=(('a | b',), ('c ]] d',))),)
    >>> parse("one\\n[[two|{3}")[1]
    [Fault(line=2, message='{3}: is no slot, no {>topic}, no {#1-9} and no {=text}'), Fault(line=2, message='[[ is never closed by ]]')]
    """
    stack: list[tuple[int, bool, list[list[Piece]]]] = [(1, False, [[]])]
    faults: list[Fault] = []
    line = 1
    for token in _TOKEN.findall(text):
        branches = stack[-1][2]
        if token.startswith("[["):
            stack.append((line, token == "[[?", [[]]))
        elif token == "]]" and len(stack) > 1:
            _, maybe, options = stack.pop()
            closed = tuple(_join(option) for option in options) + (((),) if maybe else ())
            stack[-1][2][-1].append(Choice(closed))
        elif token == "]]":
            faults.append(Fault(line, "]] closes nothing; write \\]] for the characters"))
        elif token == "|" and len(stack) > 1:
            branches.append([])
        elif token in ("{", "}"):
            faults.append(Fault(line, f"a lone {token}; write {token}{token} for the character"))
        else:
            piece = _read_piece(token)
            if piece is None:
                faults.append(Fault(line, f"{token}: is no slot, no {{>topic}}, no {{#1-9}} and no {{=text}}"))
            else:
                branches[-1].append(piece)
        line += token.count("\n")
    faults += [Fault(opened, "[[ is never closed by ]]") for opened, _, _ in stack[1:]]
    return _join(stack[0][2][0]), faults


def _read_piece(token: str) -> Piece | None:
    if not token.startswith("{") or token == "{{":
        return _LITERAL.get(token, token)
    inner = token[1:-1]
    if match := _LINES.fullmatch(inner):
        topic, joint, low, high, prefix = match.groups()
        least = int(low or 1)
        return Lines(topic, least, int(high or least), "\n" if joint == "/" else " ", prefix or "")
    if match := _NUMBER.fullmatch(inner):
        return Number(float(match[1]), float(match[3]), max(len(match[2] or ""), len(match[4] or "")))
    if inner.startswith("="):
        return Meant(inner[1:])
    return Fill(inner) if _FILL.fullmatch(inner) else None


def _join(pieces: list[Piece]) -> Template:
    """Neighbouring texts become one."""
    joined: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return tuple(joined)


def walk(template: Template) -> Iterator[Piece]:
    """Every piece of the template, also inside alternatives.

    >>> [piece for piece in walk(parse("a[[b|{mrn}]]")[0]) if not isinstance(piece, Choice)]
    ['a', 'b', Fill(slot='mrn')]
    """
    for piece in template:
        yield piece
        if isinstance(piece, Choice):
            for option in piece.options:
                yield from walk(option)
