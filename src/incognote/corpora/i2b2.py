"""The XML of i2b2 2014 and of MEDDOCAN: the note as CDATA, then one element per span, named by category, with ``TYPE`` as label.

The patient comes from the file name (``220-01.xml`` is of patient 220); where that cannot say it, the root element gets a ``patient``
attribute. Annotation ids and comments are not kept.
"""

import re
from functools import partial
from pathlib import Path
from xml.etree.ElementTree import Element

from incognote.corpora.files import folder_format, read_bytes
from incognote.corpora.format import Format, ReadOptions, WriteOptions
from incognote.corpora.gold import Mark, check_label, choose_reading, make_document, mark_spans
from incognote.corpora.xml import WRONG_ROOT, check_characters, escape_attribute, parse_xml
from incognote.document import Document, LabelScheme, Span, scheme
from incognote.errors import CorpusError
from incognote.shown import show_text

_FILE_NAME = re.compile(r"(\d+)-\d+")
_TAG_ID = re.compile(r"[A-Z]\d{1,4}", re.ASCII)


def _parse(id: str, path: Path, options: ReadOptions, *, root: str) -> Document:
    data = read_bytes(path)
    tree = parse_xml(data, path=path, document=id)
    if tree.tag == root and len(tree.findall("TEXT")) > 1:
        raise CorpusError("holds more than one <TEXT>", path=path, document=id, fix="make it one note a file")
    if tree.tag != root or tree.find("TEXT") is None:
        raise CorpusError(f"the root element must be <{show_text(root)}> and hold <TEXT>", path=path, document=id, fix=WRONG_ROOT)
    marks = [_parse_mark(tag, number, path, id) for number, tag in enumerate(tree.findall("TAGS/*"))]
    readings = [_text(tree)]
    if b"\r" in data:
        readings.append(_raw_text(data, path, id))
    text = choose_reading(readings, marks, path=path, id=id)
    patient = tree.get("patient", _patient(id) if root == "deIdi2b2" else "")
    return make_document(id, text, mark_spans(marks), path=path, options=options, patient=patient)


def _text(tree: Element) -> str:
    return "".join(tree.find("TEXT").itertext())  # type: ignore[union-attr]


def _raw_text(data: bytes, path: Path, id: str) -> str:
    """The note with the newlines of the file. A parser makes CRLF one character, but an annotator may have counted two."""
    text = data.decode("utf-8")
    start, end = text.find("<TEXT"), text.rfind("</TEXT>")
    stand_in = next(character for character in map(chr, range(0xE000, 0xF900)) if character not in text)
    kept = text[:start] + text[start:end].replace("\r", stand_in) + text[end:]
    return _text(parse_xml(kept.encode("utf-8"), path=path, document=id)).replace(stand_in, "\r")


def _patient(id: str) -> str:
    """The patient in an i2b2 2014 file name.

    >>> _patient("220-01")
    '220'
    """
    match = _FILE_NAME.fullmatch(id.rsplit("/", 1)[-1])
    return match[1] if match else ""


def _parse_mark(tag: Element, number: int, path: Path, id: str) -> Mark:
    id_of_tag = tag.get("id", "")
    place = f"annotation {number:d}" if not _TAG_ID.fullmatch(id_of_tag) else f"annotation {show_text(id_of_tag)}"
    try:
        start, end = int(tag.attrib["start"]), int(tag.attrib["end"])
    except (KeyError, ValueError):
        start = end = -1
    if end < 0:
        raise CorpusError("start and end must be whole numbers", path=path, document=id, place=place)
    return Mark(((start, end),), tag.get("TYPE") or tag.tag, tag.get("text"), place)


def _render(document: Document, options: WriteOptions, *, root: str, own: str) -> dict[str, str]:
    labels = options.scheme or scheme(own)
    check_characters(document.text, document=document.id)
    check_characters(document.patient, document=document.id)
    told = _patient(document.id) if root == "deIdi2b2" else ""
    patient = f" patient={escape_attribute(document.patient)}" if document.patient != told else ""
    lines = [
        "<?xml version='1.0' encoding='UTF-8'?>",
        f"<{root}{patient}>",
        f"<TEXT><![CDATA[{_escape_cdata(document.text)}]]></TEXT>",
        "<TAGS>",
        *(_render_tag(number, span, document, labels) for number, span in enumerate(document.spans)),
        "</TAGS>",
        f"</{root}>",
    ]
    return {".xml": "\n".join(lines) + "\n"}


def _render_tag(number: int, span: Span, document: Document, labels: LabelScheme) -> str:
    element = labels.categories[check_label(span.label, labels, document=document.id)]
    text = escape_attribute(document.value(span))
    return f'<{element} id="P{number}" start="{span.start}" end="{span.end}" text={text} TYPE={escape_attribute(span.label)} comment="" />'


def _escape_cdata(text: str) -> str:
    """CDATA cannot hold its own end mark, and a bare carriage return would be read as a newline."""
    return text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")


def _xml_format(name: str, root: str, labels: str) -> Format:
    return folder_format(name, (".xml",), partial(_parse, root=root), partial(_render, root=root, own=labels), scheme=labels)


I2B2 = _xml_format("i2b2", "deIdi2b2", "i2b2-2014")
MEDDOCAN = _xml_format("meddocan", "MEDDOCAN", "meddocan")
