"""``laconic compare``: tables in, ranks, tests and a page out."""

import html.parser
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from laconic.cli.entrants import PEERS, make_entrants
from laconic.cli.errors import BadInput
from laconic.evaluation import RunStore

QUICK = ["--machines", "rvm,logreg,rf", "--splits", "2"]


@pytest.fixture(autouse=True)
def _small_forest(monkeypatch):
    from sklearn.ensemble import RandomForestClassifier

    forest = "random forest", lambda task, y, seed: RandomForestClassifier(10, random_state=seed)
    monkeypatch.setitem(PEERS, "rf", forest)


@pytest.fixture
def tables(tmp_path):
    """Three small tables with the same target."""
    rng = np.random.default_rng(0)
    paths = []
    for k in range(3):
        X = rng.normal(size=(60, 3))
        label = np.where(X[:, k] + 0.5 * rng.normal(size=60) > 0, "yes", "no")
        frame = pd.DataFrame(X, columns=list("abc")).assign(label=label)
        paths.append(tmp_path / f"table{k}.csv")
        frame.to_csv(paths[-1], index=False)
    return paths


class Elements(html.parser.HTMLParser):
    """Tags, their attributes, and whether every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.tags = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attributes]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_several_tables_give_ranks_tests_and_a_page(run, tables, tmp_path):
    result = run("compare", *tables, "--target", "label", *QUICK)
    assert result.exit_code == 0, result.output
    for words in (
        "mean rank",
        "table1",
        "Friedman test over 3 tables",
        "Nemenyi test",
        "wrote laconic-report",
    ):
        assert words in result.stdout
    page = (tmp_path / "laconic-report.html").read_text(encoding="utf-8")
    elements = Elements(page)
    assert elements.open == []
    assert elements.tags.count("img") == 2 + 2 * 3
    assert "viewport" in page


def test_the_page_needs_no_network(run, tables, tmp_path):
    run("compare", *tables, "--target", "label", *QUICK, "-o", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    elements = Elements(page)
    assert not {"script", "link", "iframe"} & set(elements.tags)
    sources = [value for _, name, value in elements.attributes if name in ("src", "href")]
    assert sources
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert not re.search(r"https?://", page)
    assert all(dict([pair[1:] for pair in elements.attributes if pair[0] == "img"]).values())


def test_one_table_is_compared_over_its_splits(run, csv):
    result = run("compare", csv, "--target", "kind", *QUICK)
    assert result.exit_code == 0, result.output
    assert "log-" in result.stdout
    assert re.search(
        r"tabelle: .* (is significantly better than|does not differ significantly from)", result.stdout
    )


def test_json_holds_results_and_tests(run_json, tables):
    document = run_json("compare", *tables, "--target", "label", *QUICK, "--control", "rvm")
    assert len(document["results"]) == 3 * 2 * 3
    assert {test["control"] for test in document["tests"]["control"]} == {"RVM"}
    assert set(document["scores"]) == {"table0", "table1", "table2"}
    assert document["measure"] == "error"


def test_a_second_run_computes_only_what_is_missing(run_json, tables, tmp_path):
    command = ["compare", *tables[:1], "--target", "label", "--machines", "rvm,logreg"]
    first = run_json(*command, "--splits", "2")
    with RunStore(tmp_path / "laconic-report.sqlite") as store:
        assert len(store) == 4
    second = run_json(*command, "--splits", "3")
    with RunStore(tmp_path / "laconic-report.sqlite") as store:
        assert len(store) == 6
    kept = [row for row in second["results"] if row["split"] < 2]
    assert kept == first["results"]


def test_regression_tables(run, csv, tmp_path):
    result = run("compare", csv, "--target", "price", "--machines", "rvm,logreg", "--splits", "2")
    assert result.exit_code == 0, result.output
    assert "RMSE" in result.stdout
    assert "Reliability diagram" in (tmp_path / "laconic-report.html").read_text(encoding="utf-8")


def test_text_of_the_user_is_escaped(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "<b>y</b>": rng.integers(0, 2, 40)})
    frame.to_csv(tmp_path / "<i>t.csv", index=False)
    command = ["compare", "<i>t.csv", "--target", "<b>y</b>", "--machines", "rvm,logreg", "--splits", "2"]
    assert run(*command).exit_code == 0
    page = (tmp_path / "laconic-report.html").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;i&gt;t" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--machines", "rvm,nope"], "no machine is called 'nope'; there are rvm"),
        (["--machines", "rvm"], "at least two machines"),
        (["--measure", "nope"], "no measure is called 'nope'; there are error"),
        (["--control", "nope"], "no machine is called 'nope'"),
        (["--control", "svm"], "is not one of the machines"),
        (["--test-size", "0.99"], "cannot hold out"),
        (["-o", "nowhere/page.html"], "does not exist"),
    ],
)
def test_wrong_options_are_refused_in_one_line(run, csv, refused, options, message):
    refused(run("compare", csv, "--target", "kind", "--machines", "rvm,logreg", *options), 2, message)


def test_tables_of_different_tasks_are_refused(run, csv, tmp_path, refused):
    pd.DataFrame({"a": range(30), "kind": np.linspace(0, 1, 30)}).to_csv(tmp_path / "other.csv", index=False)
    refused(run("compare", csv, "other.csv", "--target", "kind"), 2, "choose one by --task")
    refused(run("compare", csv, csv, "--target", "kind"), 2, "named twice")


def test_every_machine_can_take_part():
    y = np.repeat([0, 1], 20)
    entrants = make_entrants(["rvm", "svm", "rf", "logreg"], "classification", y, 0)
    assert list(entrants) == ["RVM", "SVM", "random forest", "linear model"]
    with pytest.raises(BadInput, match="no machine"):
        make_entrants(["x"], "classification", y, 0)


def test_the_page_in_a_browser(run, tables, tmp_path):
    """Chromium draws every picture, and nothing is wider than a phone."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    run("compare", *tables, "--target", "label", *QUICK)
    page = tmp_path / "laconic-report.html"
    probe = page.read_text(encoding="utf-8").replace(
        "</body>",
        "<script>addEventListener('load', () => { const images = [...document.images];"
        "document.title = 'wide ' + document.documentElement.scrollWidth + ' of ' + innerWidth"
        "+ ', drawn ' + images.filter(i => i.naturalWidth > 100).length + ' of ' + images.length; })"
        "</script></body>",
    )
    probed = tmp_path / "probed.html"
    probed.write_text(probe, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,900"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom"]
    shown = subprocess.run(
        [chromium, *options, probed.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r"<title>wide (\d+) of (\d+), drawn (\d+) of (\d+)</title>", shown.stdout)
    wide, room, drawn, images = map(int, found.groups())
    assert wide <= room <= 500
    assert drawn == images == 8
