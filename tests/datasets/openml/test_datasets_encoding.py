"""From ARFF text to numbers."""

import numpy as np
import pytest

from pauca.datasets.openml.arff import read_arff
from pauca.datasets.openml.encoding import encode_table
from pauca.datasets.openml.registry import REGISTRY, Source

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
DESCRIPTION = {"default_target_attribute": "class", "ignore_attribute": "id", "row_id_attribute": None}


def encode(task="binary", table=TABLE, **options):
    return encode_table(table, Source(0, "x", task, **options), DESCRIPTION)


def small_table(kind, values):
    return f"@attribute x real\n@attribute class {kind}\n@data\n" + "\n".join(
        f"0,{value}" for value in values
    )


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


def test_columns_become_numbers():
    arrays = encode(positive="bad")
    names = ["status=<0", "status=?", "status=no checking", "long name", "rad", "it's=a,b", 'it\'s=c "d"']
    assert arrays["feature_names"].tolist() == names
    assert arrays["categorical"].tolist() == [name == "rad" for name in names]
    np.testing.assert_array_equal(
        arrays["X"], [[1, 0, 0, 1.5, 24, 1, 0], [0, 1, 0, -2000, 1, 0, 1], [1, 0, 0, 0, 24, 1, 0]]
    )
    assert arrays["y"].tolist() == [-1, 1, -1]
    assert arrays["class_names"].tolist() == ["good", "bad"]


def test_codes_and_dropped_columns():
    codes = {"<0": -1.0, "?": 0.0, "no checking": 1.0}
    arrays = encode(codes=codes, dropped=("long name", "it's", "not there"))
    assert arrays["feature_names"].tolist() == ["status", "rad"]
    assert arrays["categorical"].all()
    assert arrays["X"][:, 0].tolist() == [-1, 0, 1, -1]


def test_last_class_is_positive_by_default():
    assert encode()["class_names"].tolist() == ["bad", "good"]


def test_positive_class_must_exist():
    with pytest.raises(ValueError, match=r"expected two classes with ugly as \+1, found \['bad', 'good'\]"):
        encode(positive="ugly")


def test_classes_are_ordered_by_number_then_alphabet():
    arrays = encode("multiclass", small_table("{1,2,10}", [10, 2, 1]))
    assert arrays["class_names"].tolist() == ["1", "2", "10"]
    assert arrays["y"].tolist() == [2, 1, 0]
    assert encode("multiclass", small_table("{b,a,c}", "bca"))["y"].tolist() == [1, 2, 0]


@pytest.mark.parametrize("kind", ["{1,2}", "numeric"])
def test_two_numeric_classes(kind):
    arrays = encode(table=small_table(kind, [2, 1, 2]), positive="2")
    assert arrays["y"].tolist() == [1, -1, 1]
    assert arrays["class_names"].tolist() == ["1", "2"]


def test_threshold_makes_two_classes():
    arrays = encode(table=small_table("{8,9,10}", [8, 9, 10]), at_most=9)
    assert arrays["y"].tolist() == [1, 1, -1]
    assert arrays["class_names"].tolist() == ["> 9", "<= 9"]


def test_regression_target_is_a_float():
    arrays = encode("regression", small_table("numeric", [3, 4]))
    assert arrays["y"].dtype == float
    assert "class_names" not in arrays


def test_registry_is_consistent():
    ids = [source.data_id for source in REGISTRY.values()]
    assert len(set(ids)) == len(ids)
    assert {source.task for source in REGISTRY.values()} == {"binary", "multiclass", "regression"}
    assert all(source.task == "binary" for source in REGISTRY.values() if source.positive or source.at_most)
