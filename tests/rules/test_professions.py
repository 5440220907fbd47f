"""The rules for occupations against golden lines."""

import pytest

from incognote.rules.professions import find_professions
from tests.rules.golden import GoldenLine, check_golden, golden_params


@pytest.mark.parametrize("line", golden_params("professions"))
def test_golden_professions(line: GoldenLine) -> None:
    check_golden(line, find_professions)
