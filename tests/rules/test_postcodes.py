"""ZIP codes and postcodes: golden lines."""

import pytest

from incognote.rules.postcodes import find_postcodes
from tests.rules.golden import GoldenLine, check_golden, golden_params


@pytest.mark.parametrize("line", golden_params("postcodes"))
def test_golden(line: GoldenLine) -> None:
    check_golden(line, find_postcodes)


def test_a_zip_code_must_lie_in_the_state_before_it() -> None:
    assert list(find_postcodes("Portland, OR 97201"))
    assert not list(find_postcodes("this OR 10001"))
