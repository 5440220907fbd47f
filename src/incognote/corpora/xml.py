"""XML read without entities or anything external, and written so that a parser gives back every character."""

import re
from codecs import lookup
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser
from xml.parsers.expat import ErrorString

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from incognote.corpora.files import decode
from incognote.errors import CorpusError
from incognote.shown import show_text

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DECLARATION = re.compile(rb"""(?:\xef\xbb\xbf)?\s*<\?xml\b.*?(?:\?>|\Z)""", re.DOTALL)
_ENCODING = re.compile(rb"""\bencoding\s*=\s*["']([^"']*)["']""")
_HEAD = 1 << 16
_ATTRIBUTE = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_ATTRIBUTE_TABLE = str.maketrans(_ATTRIBUTE)
_CONTENT_TABLE = str.maketrans({character: _ATTRIBUTE[character] for character in "&<>\r"})
WRONG_ROOT = "take the file out, or name the right format"
_REFUSED = "an entity or an external reference in the XML: such files can exhaust memory or leak other files"


def parse_xml(data: bytes, *, path: Path, document: str = "") -> Element:
    """The root element of a whole file."""
    _check_encoding(data, path)
    decode(data, path=path, document=document)
    parser = _make_parser()
    try:
        parser.feed(data)
        return cast(Element, parser.close())
    except ParseError as error:
        fault, place = _explain(error)
    except DefusedXmlException:
        fault, place = _REFUSED, ""
    raise CorpusError(fault, path=path, document=document, place=place)


def _make_parser() -> Any:
    """A parser that takes every file for UTF-8: others are refused by name, and expat must not guess."""
    return DefusedXMLParser(encoding="utf-8")


def _explain(error: ParseError) -> tuple[str, str]:
    """The fault and its place, in expat's words for the code: the exception's message may quote the file."""
    line, column = error.position
    return f"malformed XML: {ErrorString(error.code)}", f"line {line:d}, column {column + 1:d}"


def read_root(file: BinaryIO) -> str:
    """The name of the root element, or nothing where the XML is malformed before it; the file is at its start again."""
    try:
        return str(next(_parse_events(file))[1].tag)
    except (ParseError, DefusedXmlException, StopIteration):
        return ""
    finally:
        file.seek(0)


def stream_elements(file: BinaryIO, name: str, *, path: Path) -> Iterator[Element]:
    """Each element of that name, dropped from memory once used."""
    _check_encoding(file.read(_HEAD), path)
    file.seek(0)
    root: Element | None = None
    try:
        for event, element in _parse_events(file):
            root = element if root is None else root
            if event == "end" and element.tag == name:
                yield element
                root.clear()
        return
    except ParseError as error:
        fault, place = _explain(error)
    except DefusedXmlException:
        fault, place = _REFUSED, ""
    file.seek(0)
    offset = 0
    for line in file:
        decode(line, path=path, offset=offset)
        offset += len(line)
    raise CorpusError(fault, path=path, place=place)


def _parse_events(file: BinaryIO) -> Iterator[tuple[str, Element]]:
    """The start and end of each element. As expat begins a long attribute again with each block, blocks grow until one ends."""
    parser: Any = XMLPullParser(events=("start", "end"), _parser=_make_parser())
    size = _HEAD
    while block := file.read(size):
        parser.feed(block)
        size *= 2
        for event, element in parser.read_events():
            size = _HEAD
            yield event, element
    parser.close()
    yield from parser.read_events()


def _check_encoding(data: bytes, path: Path) -> None:
    """Raise for bytes that expat would take for something else than UTF-8, or whose declaration says so, however late."""
    if b"\0" in data[:_HEAD]:
        fault = "holds NUL bytes; it may be in UTF-16"
        raise CorpusError(fault, path=path, place=f"byte {data.index(0):d}", fix="save the file as UTF-8")
    declaration = _DECLARATION.match(data)
    match = _ENCODING.search(declaration[0]) if declaration else None
    if match and match[1].lower() not in (b"utf-8", b"utf8", b"us-ascii", b"ascii"):
        raise CorpusError(f"the XML is in {_show_encoding(match[1])}", path=path, fix="save the file as UTF-8")


def _show_encoding(name: bytes) -> str:
    """The name of an encoding that Python knows; another may be anything."""
    declared = name.decode("ascii", "replace")
    try:
        lookup(declared)
    except (LookupError, ValueError):
        return "an encoding that is not known"
    return show_text(declared)


def check_characters(text: str, *, document: str) -> None:
    """Raise where the text has a character that XML 1.0 forbids."""
    if match := _FORBIDDEN.search(text):
        what, place = f"U+{ord(match[0]):04X} is forbidden in XML", f"character {match.start():d}"
        raise CorpusError(what, document=document, place=place, fix="take it out or choose another format")


def escape_attribute(value: str) -> str:
    """The value in quotes; breaks and tabs are spelt out, because a parser would make them blanks.

    >>> escape_attribute('a "b"')
    '"a &quot;b&quot;"'
    """
    return f'"{value.translate(_ATTRIBUTE_TABLE)}"'


def escape_content(text: str) -> str:
    """Text between elements.

    >>> escape_content("a < b")
    'a &lt; b'
    """
    return text.translate(_CONTENT_TABLE)
