"""How many threads the linear algebra library may use."""

from contextlib import nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController

# Below this many matrix entries, threads cost more than they bring; on a busy machine many times more.
_SMALL = 100_000_000


@cache
def _controller():
    return ThreadpoolController()


def threads_for(n_entries):
    """A context in which products of matrices with ``n_entries`` use as many threads as pay."""
    return _controller().limit(limits=1, user_api="blas") if n_entries < _SMALL else nullcontext()
