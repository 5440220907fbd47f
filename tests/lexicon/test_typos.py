"""Words a slip or two apart: the same are found among few words, which are all compared, and among many, which are not."""

from hypothesis import given
from hypothesis import strategies as st

from incognote.lexicon.typos import TypoIndex
from incognote.replace.spelling import allowed_typos

WORDS = st.text("abc", min_size=3, max_size=11)
FAR = [f"{number:030}" for number in range(40)]


@given(WORDS, st.sets(WORDS, min_size=1, max_size=20))
def test_the_same_words_are_near_among_few_and_among_many(word, others):
    assert set(TypoIndex.gather(others).near(word)) == set(TypoIndex.gather([*others, *FAR]).near(word))


@given(WORDS, st.sets(WORDS, min_size=1, max_size=20))
def test_the_same_words_are_near_where_each_may_hold_as_many_slips_as_its_length_allows(word, others):
    few, many = (TypoIndex.gather(words, lambda other: allowed_typos(len(other))) for words in (others, [*others, *FAR]))
    assert set(few.near(word, allowed_typos(len(word)))) == set(many.near(word, allowed_typos(len(word))))
