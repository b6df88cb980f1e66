"""Reader of ARFF tables."""

import numpy as np
import pytest

from pauca.datasets.openml.arff import read_arff

TABLE = r"""
% a comment
@RELATION 'odd ones'
@ATTRIBUTE status   { '<0', '0<=X<200', 'no checking'}
@attribute "long name" real
@attribute rad {1, 24}
@attribute 'it\'s' {'a,b', "c \"d\""}
@attribute id INTEGER
@attribute class {good , bad}
@DATA
'<0', 1.5, 24, 'a,b', 1, good
% another
?,-2e3,1,"c \"d\"",2,bad

'no checking' ,?,1,'a,b',3,good
'<0',0,24,'a,b',4, good
"""


def test_reader_understands_quotes_blanks_and_missing_values():
    table = read_arff(TABLE)
    assert list(table) == ["status", "long name", "rad", "it's", "id", "class"]
    assert table["status"].tolist() == ["<0", "?", "no checking", "<0"]
    assert table["it's"].tolist() == ["a,b", 'c "d"', "a,b", "a,b"]
    np.testing.assert_array_equal(table["long name"], [1.5, -2000, np.nan, 0])


@pytest.mark.parametrize(
    "text", ["@attribute x real\n1\n", "@attribute x real\n@data\n1,2\n", "@attribute x real\n@data\nred\n"]
)
def test_reader_refuses_broken_tables(text):
    with pytest.raises(ValueError, match=r"no @data|not every row|could not convert"):
        read_arff(text)
