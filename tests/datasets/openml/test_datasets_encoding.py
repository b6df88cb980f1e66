"""Encoding of ARFF tables as numbers, and the registry."""

import numpy as np
import pytest
from test_datasets_arff import TABLE

from pauca.datasets.openml.encoding import encode_table
from pauca.datasets.openml.registry import REGISTRY, Source

DESCRIPTION = {"default_target_attribute": "class", "ignore_attribute": "id", "row_id_attribute": None}


def encode(task="binary", table=TABLE, **options):
    return encode_table(table, Source(0, "x", task, **options), DESCRIPTION)


def small_table(kind, values):
    return f"@attribute x real\n@attribute class {kind}\n@data\n" + "\n".join(
        f"0,{value}" for value in values
    )


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
