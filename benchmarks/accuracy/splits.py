"""How many splits each set has where machines are ranked over sets, and peers that see the first only."""

import numpy as np

from ..harness.contenders import Contender

# Splits before this one are for the choice of constants of the machines, never for reports.
FIRST_SPLIT = 10
# Training rows of a small set, and the divisor of the number of splits of others; set by hand for time.
_SMALL_ROWS, _DIVISOR = 250, 5


def takes_part(problem, turn: int, n_splits: int) -> bool:
    """Whether a set is measured in a turn: small sets have ``n_splits`` turns, others a fifth as many."""
    return turn < (n_splits if len(problem.y) <= _SMALL_ROWS else -(-n_splits // _DIVISOR))


def split_rows(rows) -> list[dict]:
    """How many splits of each set were measured."""
    found: dict = {}
    for row in rows:
        found.setdefault(row["set"], set()).add(row["problem"])
    return [{"set": name, "splits": len(problems)} for name, problems in found.items()]


def beside_slow(rows, peers: list[Contender], ours: str, measures) -> list[dict]:
    """One row for each slow peer: means over the problems that it was fitted to, and ours on the same.

    Lower values of all ``measures`` are better.
    """
    found = {(row["problem"], row["machine"]): row for row in rows if "failed" not in row}
    table = []
    for peer in peers:
        pairs = [
            (row, found[problem, ours])
            for (problem, machine), row in found.items()
            if machine == peer.name and (problem, ours) in found
        ]
        if pairs:
            row = {"machine": peer.name, "sets": len(pairs)}
            for key in measures:
                row |= _compared(key, [(theirs[key], mine[key]) for theirs, mine in pairs])
            table.append(
                {**row, **_compared("fit_cpu_s", [(a["fit_cpu_s"], b["fit_cpu_s"]) for a, b in pairs])}
            )
    return table


def _compared(key, pairs):
    """Means of a measure and on how many problems ours is lower; nothing where the peer lacks it."""
    if any(theirs is None for theirs, _ in pairs):
        return {key: None, f"{key}, SparseGP": None, f"{key}, SparseGP lower": None}
    theirs, ours = np.array(pairs).T
    return {
        key: float(theirs.mean()),
        f"{key}, SparseGP": float(ours.mean()),
        f"{key}, SparseGP lower": f"{np.sum(ours < theirs)} of {len(pairs)}",
    }
