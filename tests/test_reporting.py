"""What a fit tells: nothing, a bar with what was chosen, or each trial."""

import pytest
from sklearn.linear_model import LogisticRegression

from pauca import RVMRegressor, SparseGPRegressor, SpikeSlabRegressor
from pauca.datasets import make_sinc
from pauca.evaluation import Benchmark, compare, repeated_splits
from pauca.reporting import reporting, tell


@pytest.fixture
def terminal(monkeypatch):
    """Standard error as rich sees it in a terminal."""
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")


class Learner:
    """Stands for an estimator with two steps."""

    def __init__(self, verbose):
        self.verbose = verbose

    def learn(self):
        with reporting(self):
            tell("first [/b] step")
            tell("phase one", level=1, share=0.5)
            self.relevance_ = [1, 2, 3]


@pytest.mark.parametrize(("verbose", "n_lines"), [(0, 0), (False, 0), (1, 2), (True, 2), (2, 3), (5, 3)])
def test_levels_where_no_bar_can_be_shown(verbose, n_lines, capsys):
    Learner(verbose).learn()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == n_lines
    if lines:
        assert lines[-1].startswith("[Learner] 3 vectors, ")


def test_bar_in_a_terminal(terminal, capsys):
    Learner(1).learn()
    told = capsys.readouterr().err
    assert "Learner: phase one" in told
    assert "[Learner] first" not in told
    assert "[Learner] 3 vectors" in told
    Learner(2).learn()
    assert "[Learner] first [/b] step" in capsys.readouterr().err


def test_bar_is_gone_after_an_error(terminal, capsys):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), reporting(Learner(1)):
            raise ZeroDivisionError
    assert "vectors" not in capsys.readouterr().err
    tell("outside of any fit")
    assert capsys.readouterr().err == ""


def test_bars_within_bars(terminal, capsys):
    with reporting(Learner(1)):
        Learner(1).learn()
    assert "[Learner] 3 vectors" in capsys.readouterr().err


@pytest.mark.parametrize("machine", [RVMRegressor(), SparseGPRegressor(), SpikeSlabRegressor()])
def test_machines_say_what_was_chosen(machine, capsys):
    X, y = make_sinc(30, random_state=0)
    machine.set_params(verbose=1).fit(X, y)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"[{type(machine).__name__}] ")
    assert f"log evidence {machine.log_evidence_:.2f}" in line


@pytest.mark.parametrize("verbose", [-1, 0.5, "loud", None])
def test_what_verbose_must_be(verbose):
    X, y = make_sinc(10, random_state=0)
    with pytest.raises((TypeError, ValueError), match="verbose"):
        RVMRegressor(verbose=verbose).fit(X, y)


def test_compare_shows_a_bar(terminal, capsys):
    X, y = make_sinc(40, random_state=0)
    labels = (y > y.mean()).astype(int)
    tasks = {"sinc": Benchmark(X, labels, repeated_splits(labels, 2), {"logistic": LogisticRegression()})}
    compare(tasks, verbose=1)
    assert "2/2" in capsys.readouterr().err
    compare(tasks)
    assert capsys.readouterr().err == ""
