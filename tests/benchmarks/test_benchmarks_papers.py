"""The published tables beside ours, on a small scale."""

from dataclasses import replace

import pytest
from benchmarks.papers.variational_rvm import STUDIES, repeat
from sklearn.svm import SVR

from laconic import RVMRegressor

CHEAP = {
    "SVM": SVR(gamma=0.1),
    "RVM": RVMRegressor(gamma=0.1),
    "VRVM": RVMRegressor(gamma=0.1, inference="variational"),
}


def test_table_and_verdicts():
    report = repeat(replace(STUDIES[0], machines=CHEAP), 2)
    (table,) = report.tables
    rows = {row["machine"]: row for row in table.rows}
    assert list(rows) == ["SVM", "RVM", "VRVM"]
    assert rows["VRVM"]["error, paper"] == 0.0494
    assert rows["VRVM"]["error, ours"] < 0.1
    assert rows["VRVM"]["runs"] == 2
    assert rows["SVM"]["noise, ours"] is None
    assert report.targets[0].value == rows["VRVM"]["error, ours"]
    assert {target.verdict for target in report.targets} <= {"PASS", "MISS"}


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.title[:7])
def test_every_machine_has_its_published_values(study):
    assert set(study.paper) == set(study.machines) == {"SVM", "RVM", "VRVM"}
    assert all(len(values) == 3 for values in study.paper.values())
    assert {measure for measure, _, _ in study.targets} <= {"error", "kernels", "noise"}
