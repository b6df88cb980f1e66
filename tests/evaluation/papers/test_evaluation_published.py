"""Description of a published table."""

import pytest

from pauca.evaluation import Bound


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"published": {("irsi", "svm"): {"error": 1}}}, "no 'irsi'; there are iris"),
        ({"published": {("iris", "smv"): {"error": 1}}}, "no 'smv'"),
        ({"published": {("iris", "svm"): {"erorr": 1}}}, "no 'erorr'; there are error, size"),
        ({"bounds": (Bound("iris", "svm", "time", 1),)}, "no 'time'"),
        ({"bounds": (Bound("iris", "svm", "error", "rmv"),)}, "no 'rmv'"),
        ({"together": True, "choose": print}, "exclude each other"),
    ],
)
def test_misspelt_names_are_refused(table, changes, message):
    with pytest.raises(ValueError, match=message):
        table(**changes)
