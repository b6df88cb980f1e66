"""Rows that belong together are never on both sides of a split."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from pauca.cli.held_out import folds, hold_out
from pauca.evaluation import repeated_splits

GROUPS = np.repeat(np.arange(30), 4)
Y = np.random.default_rng(0).integers(2, size=120)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_no_group_is_split(task):
    splits = [
        *hold_out(task, Y, 0.25, 0, GROUPS),
        *folds(task, Y, 5, 0, GROUPS),
        *repeated_splits(Y, 4, train_size=0.5, seed=1, groups=GROUPS),
    ]
    assert len(splits) == 10
    for train, test in splits:
        assert not set(GROUPS[train]) & set(GROUPS[test])
        assert sorted([*train, *test]) == list(range(120))


def test_splits_of_groups_do_not_depend_on_their_number():
    few, many = (repeated_splits(Y, k, seed=3, groups=GROUPS) for k in (2, 5))
    for (a, b), (c, d) in zip(few, many, strict=False):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)


@pytest.fixture
def copies(tmp_path):
    """A file of labels without signal, each row four times."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    frame = frame.assign(patient=[f"p{k}" for k in range(40)], label=rng.permutation(["yes", "no"] * 20))
    frame = pd.concat([frame] * 4, ignore_index=True)
    frame.to_csv(tmp_path / "copies.csv", index=False)
    return tmp_path / "copies.csv"


def test_copies_of_a_patient_flatter_only_without_groups(run_json, copies):
    words = ("fit", copies, "--target", "label", "--machine", "forest", "--no-compare", "--cv", 4)
    errors = [
        run_json(*words, *extra)["machines"][0]["error"]
        for extra in (("--drop", "patient"), ("--groups", "patient"))
    ]
    assert errors[0] < 0.05
    assert errors[1] > 0.3


def test_the_column_of_groups_is_no_feature(run_json, copies):
    result = run_json(
        *("compare", copies, "--target", "label", "--groups", "patient"),
        *("--splits", 2, "--machines", "logreg,rf"),
    )
    assert {row["split"] for row in result["results"]} == {0, 1}
    assert min(row["error"] for row in result["results"]) > 0.2


def test_too_few_groups(run, refused, tmp_path, copies):
    frame = pd.read_csv(copies).assign(patient=lambda table: table["a"] > 0)
    frame.to_csv(tmp_path / "two.csv", index=False)
    words = ("fit", tmp_path / "two.csv", "--target", "label", "--groups", "patient")
    refused(run(*words, "--cv", 5), 2, "--cv must not exceed the 2 groups")
    refused(run("fit", copies, "--target", "label", "--groups", "nobody"), 2, "no column is called 'nobody'")


def test_a_plain_split_is_as_before():
    (train, test), rows = hold_out("classification", Y, 0.25, 0)[0], np.arange(120)
    expected = train_test_split(rows, test_size=0.25, random_state=0, stratify=Y)
    np.testing.assert_array_equal(train, expected[0])
    np.testing.assert_array_equal(test, expected[1])
