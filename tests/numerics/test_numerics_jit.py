"""The one decorator for compiled functions."""

import math

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
    import numba

    wanted = []

    def njit(cache=False, **options):
        wanted.append(cache)
        if cache:
            raise RuntimeError("no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled(_ratio) is _ratio
    assert wanted == [True, False]
