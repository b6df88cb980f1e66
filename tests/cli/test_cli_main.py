"""The door: version, help, exit codes, missing packages."""

import re
import subprocess
import sys

import pytest

import pauca
from pauca.cli.contenders import MACHINES


def run_process(*words, code=None):
    start = ["-c", code] if code else ["-m", "pauca"]
    return subprocess.run([sys.executable, *start, *words], capture_output=True, text=True, timeout=600)


def test_version(run):
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"pauca {pauca.__version__}\n")


def test_module_is_the_command():
    result = run_process("--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"pauca {pauca.__version__}\n", "")


@pytest.mark.parametrize(
    "words", [["--help"], ["-h"], ["fit", "--help"], ["predict", "-h"], ["demo", "--help"]]
)
def test_help(run, words):
    result = run(*words)
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def test_help_names_every_machine(run):
    words = re.findall(r"\w+", run("fit", "--help").stdout)
    assert set(MACHINES) <= set(words)


def test_nothing_to_do_shows_help(run):
    result = run()
    assert result.exit_code == 2
    assert all(command in result.stdout for command in ("demo", "fit", "predict"))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["paint"], "No such command 'paint'"),
        (["--paint"], "No such option"),
        (["fit"], "Missing argument"),
        (["fit", "a.csv"], "Missing option '--target'"),
        (["fit", "a.csv", "--target", "y", "--task", "sorting"], "sorting"),
        (["fit", "a.csv", "--target", "y", "--test-size", "2"], "test-size"),
        (["predict", "model"], "Missing argument"),
    ],
)
def test_wrong_usage_is_one_line(run, refused, words, part):
    refused(run(*words), 2, part)


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_missing_package_names_the_extra(package):
    code = f"import sys; sys.modules[{package!r}] = None; from pauca.cli import main; sys.exit(main())"
    result = run_process(code=code)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.endswith('pip install "pauca[cli]"\n')
    assert result.stderr.count("\n") == 1


def test_missing_pandas_names_the_extra():
    code = "import sys; sys.modules['pandas'] = None; from pauca.cli import main; sys.exit(main())"
    result = run_process("fit", "a.csv", "--target", "y", code=code)
    assert result.returncode == 1
    assert 'pip install "pauca[cli]"' in result.stderr
    assert result.stderr.count("\n") == 1


def test_debug_shows_the_traceback(run):
    result = run("fit", "missing.csv", "--target", "y", "--debug")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert result.stderr.endswith("pauca: missing.csv does not exist.\n")


def test_failure_of_the_work_is_one_line(run, csv, refused, monkeypatch):
    from pauca import SparseGPClassifier

    def fail(self, X, y):
        raise RuntimeError("the\nroof is on fire")

    monkeypatch.setattr(SparseGPClassifier, "fit", fail)
    refused(run("fit", csv, "--target", "kind"), 1, "RuntimeError: the roof is on fire", "--debug")
