"""No error of the readers and writers can be given words of a file: the holes of its message are checked in the source."""

import ast
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from incognote.errors import ConfigError, CorpusError, IncognoteError, OutputError
from incognote.shown import show_column, show_columns, show_extra_column, show_id, show_lines, show_type

SOURCES = Path(__file__).parents[1] / "src" / "incognote"
MODULES = sorted(path for folder in ("corpora", "document") for path in (SOURCES / folder).rglob("*.py"))
WRAPPERS = {"_fault"}  # functions that make an error of a message they are given; their callers are checked
ERRORS = WRAPPERS | {"CorpusError", "OutputError", "SpanError", "MarkupError", "LabelError", "ConfigError", "IncognoteError"}
# ``path``, ``where`` and ``document`` are escaped or left out by the error itself.
CHECKED = {"what", "fix", "place", "faults"}
SHOWN = {"show_text", "show_id", "show_label", "show_column", "show_extra_column", "show_columns", "show_type", "len", "ErrorString"}
# Attributes of other errors, of types, and of constants; functions of the module that are checked with it.
SAFE_ATTRIBUTES = {"strerror", "what", "fix", "where", "place", "__name__", "sqlite_errorname"}
# What ``show_text`` is given here: settings, names of formats and schemes, paths, offsets, words of the code itself.
MAY_SHOW = {
    "' and '.join((file.name for file in found.values()))", "' and '.join(found)", "' or '.join(('*' + suffix for suffix in suffixes))",
    "', '.join(SUFFIXES)", "', '.join(self.labels)", "', '.join([COARSE, *self.maps])", "', '.join(scheme_names())", "beside", "columns.id",
    "columns.note", "error.msg",
    "columns.patient", "error.msg.partition(':')[0]", "format.name", "id_of_tag", "keys.id", "keys.note", "keys.patient",
    "labels.name", "name", "near[0]", "nothing.place", "one.place", "place", "place.name", "ranges", "ratio", "root", "self.name",
    "self.note", "source", "split.by", "target", "target.stem + format.suffixes[0]", "target.suffix", "two.place", "what", "label",
    "getattr(error, 'strerror', None) or 'not gzip, damaged or cut short'", "declared", "opening + label + '>'",
}  # fmt: skip


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_messages_hold_only_what_may_be_shown(path: Path) -> None:
    assert list(_find_unsafe(ast.parse(path.read_bytes()))) == []


@pytest.mark.parametrize(
    "source",
    [
        'raise CorpusError(f"bad cell {cell}")',
        'raise CorpusError("bad", fix="write " + cell)',
        "raise CorpusError(cell)",
        'raise CorpusError("bad", place=f"line {cell}")',
        'fault = f"bad {cell}"\n    raise CorpusError(fault, path=path)',
        "raise CorpusError(str(error))",
        'raise CorpusError("bad {}".format(cell))',
        'raise CorpusError("bad %s" % cell)',
        'raise ConfigError("columns", [f"bad {cell}"])',
        'what, fix = "bad", cell\n    raise SpanError(what, fix=fix)',
        'raise CorpusError(f"bad {show_text(cell)}")',
    ],
)
def test_the_check_sees_words_of_a_file(source: str) -> None:
    assert list(_find_unsafe(ast.parse(f"def read(cell, path, error):\n    {source}\n")))


@pytest.mark.parametrize(
    "error",
    [
        OutputError("bad \x1b[31m", where="a\x1b]0;x\x07", fix="name\n another"),
        CorpusError("bad\r", path="a\x1b[2J.txt", document="n\x1b1", place="line 3"),
        ConfigError("po\x1blicy", ["o\x1bne", "two"]),
        CorpusError("no note", document="Kowalczyk came today"),
    ],
)
def test_an_error_has_no_control_characters_and_no_id_that_is_a_sentence(error: IncognoteError) -> None:
    assert all(line.isprintable() for line in str(error).split("\n"))
    assert "Kowalczyk" not in str(error)


@pytest.mark.parametrize(
    "first",
    [["Kowalczyk", "Anna"], ["MRN4471923", "text"], ["id", "KOWALCZYK"], ["id", "Frau Kowalczyk"], ["id", "Kowalczyk_Anna"], ["4471923"]],
)
def test_cells_of_a_first_row_are_no_names_of_columns(first: list[str]) -> None:
    message = show_columns(first)
    assert not any(word in message for word in ("owalczyk", "OWALCZYK", "Anna", "4471923"))
    assert "is there a header" in message


@pytest.mark.parametrize("name", ["id", "note_id", "NOTE_TEXT", "noteText", "Patient ID", "subject_id", "charttime", "text2"])
def test_usual_names_of_columns_are_shown(name: str) -> None:
    assert show_column(name, 3) == name


@pytest.mark.parametrize("name", ["Kowalczyk came", "Kowalczyk", "x" * 41, "a\x1b[2J", "seen by Dr. Lee", "4471923", ""])
def test_keys_that_may_be_text_are_not_shown(name: str) -> None:
    assert show_extra_column(name) == "(not shown)"


@pytest.mark.parametrize("unit", ["-", "a", "a-", "aA", "a_", "(", "id ", "1", "a.b:"])
def test_no_name_takes_long(unit: str) -> None:
    begun = time.monotonic()
    for end in ("\0", "é", " ", "!"):
        name = (unit * 1000)[:39] + end
        show_id(name), show_column(name), show_extra_column(name), show_type(name)
    assert time.monotonic() - begun < 1


def test_the_fields_of_a_type_are_not_shown() -> None:
    assert show_type("list<item: struct<Kowalczyk: int64>>") == "list"
    assert show_type("timestamp[us, tz=Kowalczyk]") == "timestamp"


@pytest.mark.parametrize("id", ["Ann Lee", "Lee came line 3", "Lee line 3 ", "x" * 65, "a\x1b1", "Kowalczyk", "7\n8", ""])
def test_ids_of_another_form_are_not_shown(id: str) -> None:
    assert show_id(id) == ""


def test_lines_of_a_message_stay_lines() -> None:
    assert show_lines("2 faults\n  - a\x1b[2J") == "2 faults\n  - a\\x1b[2J"


def _find_unsafe(tree: ast.Module) -> Iterator[str]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.Module):
            continue
        body = [node for statement in function.body for node in _walk_own(statement)]
        given = _assignments(body)
        for call in body:
            name = _name(call.func) if isinstance(call, ast.Call) else ""
            if isinstance(call, ast.Call) and name in ERRORS and getattr(function, "name", "") not in WRAPPERS:
                messages = [*call.args[name == "ConfigError" :], *(word.value for word in call.keywords if word.arg in CHECKED)]
                for message in messages:
                    if not _is_safe(message, given, tree):
                        yield f"line {message.lineno}: {ast.unparse(message)}"


def _name(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def _walk_own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions in it."""
    if isinstance(node, ast.FunctionDef):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walk_own(child)


def _assignments(body: list[ast.AST]) -> dict[str, list[ast.expr]]:
    given: dict[str, list[ast.expr]] = {}
    for node in body:
        if isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name) and node.value:
            given.setdefault(node.target.id, []).append(node.value)
        for target in node.targets if isinstance(node, ast.Assign) else ():
            assert isinstance(node, ast.Assign)
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            values = node.value.elts if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) else [node.value] * len(names)
            for name, value in zip(names, values, strict=True):
                if isinstance(name, ast.Name):
                    given.setdefault(name.id, []).append(value)
    return given


def _is_safe(node: ast.expr, given: dict[str, list[ast.expr]], tree: ast.Module) -> bool:
    def safe(*nodes: ast.expr) -> bool:
        return all(_is_safe(each, given, tree) for each in nodes)

    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=values):
            return safe(*values)
        case ast.FormattedValue(value=value, format_spec=ast.JoinedStr(values=[ast.Constant(value=str(spec))])):
            return spec[-1] in "dX," or safe(value)  # these refuse what is no number
        case ast.FormattedValue(value=value):
            return safe(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return safe(left, right)
        case ast.IfExp(body=one, orelse=two):
            return safe(one, two)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return safe(*items)
        case ast.Call(func=ast.Name(id="show_text"), args=[value]):
            return ast.unparse(value) in MAY_SHOW
        case ast.Call(func=ast.Attribute(attr="render")):
            return True  # the message of an error of ours
        case ast.Call(func=ast.Name(id=name)):
            return name in SHOWN or _returns_safe(name, tree)
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join"), args=[ast.Name(id=name)]):
            return name.isupper()
        case ast.Attribute(attr=attribute):
            return attribute in SAFE_ATTRIBUTES
        case ast.Name(id=name):
            return (
                name.strip("_").isupper()
                or (name in given and all(_is_safe(each, given | {name: []}, tree) for each in given[name]))
                or name == "place"
            )
        case ast.Subscript(value=ast.Name() as name):
            return safe(name)
        case ast.ListComp(elt=item):
            return safe(item)
    return False


def _returns_safe(name: str, tree: ast.Module) -> bool:
    """Whether a function of this module gives only safe messages."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name == name:
            body = [node for statement in function.body for node in _walk_own(statement)]
            returned = [node.value for node in body if isinstance(node, ast.Return) and node.value]
            return bool(returned) and all(_is_safe(value, _assignments(body), tree) for value in returned)
    return False
