"""The one decorator for compiled functions."""

import math
import os
import subprocess
import sys

import pytest

from pauca.numerics.jit import compiled


def _ratio(a, b):
    return a / b


@pytest.mark.parametrize("make", [compiled, lambda f: compiled(cache=False, fastmath={"nsz"})(f)])
def test_compiled_functions_divide_as_numpy_does(make):
    function = make(_ratio)
    assert function(3.0, 4.0) == 0.75
    assert function(1.0, 0.0) == math.inf


def test_nothing_is_compiled_before_the_first_call():
    function = compiled(cache=False)(_ratio)
    assert function.signatures == []
    function(1.0, 2.0)
    assert len(function.signatures) == 1


def test_without_a_folder_for_the_cache_there_is_none(monkeypatch):
    from numba.core import caching

    def refuse(*arguments):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(caching.FunctionCache, "__init__", refuse)
    assert compiled(_ratio)(3.0, 4.0) == 0.75


MODULE = """
from pauca.numerics.jit import compiled

@compiled
def ratio(a, b):
    return a / b

if __name__ == "__main__":
    print(ratio(3.0, 4.0), sum(ratio.stats.cache_hits.values()))
"""


@pytest.mark.parametrize(
    "damage", [b"", b"\x80\x04 not a pickle", None], ids=["empty", "garbage", "truncated"]
)
@pytest.mark.parametrize("kind", ["nbi", "nbc"], ids=["index", "code"])
def test_a_damaged_cache_is_rebuilt(tmp_path, kind, damage):
    (tmp_path / "module.py").write_text(MODULE)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run():
        command = [sys.executable, str(tmp_path / "module.py")]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, env=environment
        ).stdout.split()

    assert run() == ["0.75", "0"]
    assert run() == ["0.75", "1"]
    (file,) = (tmp_path / "cache").rglob(f"*.{kind}")
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2] if damage is None else damage)
    assert run() == ["0.75", "0"]
    assert run() == ["0.75", "1"]
