"""Downloads from a fake OpenML on loopback: the cache after success and after failure."""

import os
import socket
import subprocess
import sys
from threading import Event

import numpy as np
import pytest

from pauca.datasets import DatasetCorrupted, DatasetNotFound, available, load, storage
from pauca.datasets.openml import download
from pauca.datasets.openml.download import progress_bar


def cached_files():
    directory = storage.cache_directory()
    return sorted(path.name for path in directory.iterdir()) if directory.exists() else []


def fails_and_leaves_nothing(openml, error, match):
    with pytest.raises(error, match=match):
        load("sonar", base_url=openml.url)
    assert cached_files() == []


def test_download_is_encoded_and_cached(openml):
    dataset = load("sonar", base_url=openml.url)
    assert openml.requests == ["/api/v1/json/data/40", "/file.arff"]
    assert cached_files() == ["sonar.npz"]
    again = load("sonar", base_url=openml.url)
    assert len(openml.requests) == 2, "the second time there is no request"
    for found in (dataset, again):
        np.testing.assert_allclose(found.X[:, 0], 0.01 * np.arange(60))
        np.testing.assert_array_equal(found.y, np.where(np.arange(60) % 3, -1, 1))
        assert found.class_names == ("Rock", "Mine")
        assert found.feature_names == ("attribute_1", "attribute_2")
        assert "OpenML dataset 40" in found.description
    assert available()["sonar"] == "local"


def test_base_url_of_the_module_is_the_default(openml, monkeypatch):
    monkeypatch.setattr(download, "BASE_URL", openml.url + "/")
    assert load("sonar").X.shape == (60, 2)


def test_data_home_receives_the_download(openml, tmp_path):
    load("sonar", base_url=openml.url, data_home=tmp_path / "home")
    assert (tmp_path / "home" / "sonar.npz").is_file()
    assert cached_files() == []


def test_wrong_checksum(openml):
    openml.md5 = "0" * 32
    fails_and_leaves_nothing(openml, DatasetCorrupted, "'sonar' failed, its checksum .*: load it again later")


def test_truncated_transfer(openml):
    openml.missing_bytes = 100
    fails_and_leaves_nothing(openml, DatasetCorrupted, "the transfer (ended after|was cut short)")


@pytest.mark.parametrize("status", [404, 412, 500])
def test_error_of_the_server(openml, status):
    openml.status = status
    match = f"OpenML answered {status} .* 'sonar': retry later, or set PAUCA_DATA"
    fails_and_leaves_nothing(openml, DatasetNotFound, match)


def test_offline():
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        match = r"OpenML cannot be reached .* connect and retry, or set PAUCA_DATA .* sonar\.npz"
        with pytest.raises(DatasetNotFound, match=match) as caught:
            load("sonar", base_url=url)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)


def test_server_that_never_answers(openml, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT_SECONDS", 0.1)
    openml.resume = Event()
    fails_and_leaves_nothing(openml, DatasetNotFound, "cannot be reached .*timed out")
    openml.resume.set()


def test_another_data_set_under_the_id(openml):
    openml.name = "zoo"
    fails_and_leaves_nothing(openml, DatasetCorrupted, "OpenML describes it as 'zoo', not as 'sonar'")
    assert openml.requests == ["/api/v1/json/data/40"]


@pytest.mark.parametrize(
    "description",
    [
        b"<html>down for maintenance</html>",
        b"[]",
        b'{"data_set_description": {"name": "sonar", "md5_checksum": "0"}}',
    ],
)
def test_unreadable_description(openml, description):
    openml.description = description
    fails_and_leaves_nothing(openml, DatasetCorrupted, "OpenML's description of it cannot be read")


def test_file_url_is_refused(openml):
    openml.description = (
        b'{"data_set_description": {"name": "sonar", "md5_checksum": "0", "url": "file:///x"}}'
    )
    fails_and_leaves_nothing(openml, DatasetCorrupted, "OpenML describes it as")


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/x", "file:///etc/passwd", "data:,x"])
def test_redirects_to_other_protocols_are_refused(openml, address):
    openml.redirect = address
    fails_and_leaves_nothing(openml, DatasetNotFound, "(not of https|OpenML answered 302)")


def test_a_secure_server_does_not_lead_to_an_insecure_one():
    with pytest.raises(OSError, match="address of http, not of https"):
        download._open("http://127.0.0.1/x", "https://127.0.0.1")


def test_an_answer_without_end_is_cut_off(openml, monkeypatch):
    monkeypatch.setattr(download, "MAX_FILE_BYTES", 1000)
    fails_and_leaves_nothing(openml, DatasetCorrupted, "sent more than 1000 bytes")
    monkeypatch.setattr(download, "MAX_DESCRIPTION_BYTES", 100)
    fails_and_leaves_nothing(openml, DatasetCorrupted, "sent more than 100 bytes")


def test_a_slow_answer_is_cut_off(openml, monkeypatch):
    monkeypatch.setattr(download, "MAX_SECONDS", 0.2)
    openml.pause_seconds = 0.5
    fails_and_leaves_nothing(openml, DatasetCorrupted, "the transfer took more than")


@pytest.mark.parametrize("length", ["1" * 30, "-5", "many"])
def test_a_false_length_is_not_believed(openml, length):
    openml.stated_length = length
    try:
        assert load("sonar", base_url=openml.url).X.shape == (60, 2)
    except (DatasetCorrupted, DatasetNotFound):
        assert cached_files() == []


@pytest.mark.parametrize("table", [b"", b"@relation x\n@attribute Class {a,b}\n@data\na,b\n", b"\xff\xfe"])
def test_unreadable_table(openml, table):
    openml.table = table
    fails_and_leaves_nothing(openml, DatasetCorrupted, "its table cannot be read")


def test_failed_write_leaves_no_partial_file(openml, monkeypatch):
    def interrupted(*paths):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        load("sonar", base_url=openml.url)
    assert cached_files() == []


def test_partial_file_of_a_killed_write_is_ignored(openml):
    directory = storage.cache_directory()
    directory.mkdir(parents=True)
    (directory / ".sonar.0123.part").write_bytes(b"PK\x03\x04 half an archive")
    assert load("sonar", base_url=openml.url).X.shape == (60, 2)


def test_killed_process_leaves_the_cache_sound(openml):
    openml.resume = Event()
    code = f"from pauca.datasets import load; load('sonar', base_url={openml.url!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    assert openml.half_sent.wait(300)
    process.kill()
    process.wait()
    openml.resume.set()
    assert cached_files() == []
    assert load("sonar", base_url=openml.url).X.shape == (60, 2)


def test_corrupted_cache_is_not_downloaded_over(openml):
    load("sonar", base_url=openml.url)
    path = storage.cache_directory() / "sonar.npz"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DatasetCorrupted, match="delete it and load the dataset again"):
        load("sonar", base_url=openml.url)
    path.unlink()
    assert load("sonar", base_url=openml.url).X.shape == (60, 2)


def test_progress_goes_to_stderr(openml, capsys):
    load("sonar", base_url=openml.url)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Downloading sonar" in captured.err


def test_quiet_download(openml, capsys):
    load("sonar", base_url=openml.url, verbose=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("total", "last"), [(200, "100%"), (None, "0.0 MB")])
def test_percent_line_without_rich(monkeypatch, capsys, total, last):
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    with progress_bar("x", total) as advance:
        advance(50)
        advance(150)
    assert capsys.readouterr().err.endswith(f"x {last}\n")
