"""ZIP codes and postcodes: what the golden lines do not show."""

from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.places.postcodes import find_postcodes


def test_a_zip_code_must_lie_in_the_state_before_it() -> None:
    assert list(find_postcodes(Reading("Portland, OR 97201")))
    assert not list(find_postcodes(Reading("this OR 10001")))
