"""Run hostile fits by number: ``python tests/fuzz/run.py --cases 100000``, or some numbers alone.

Results are kept in a file, so that a run that was killed continues; each defect is one line with the command
that repeats it. Cases run in batches, each in a process of its own: one that dies is found and named.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from fuzz_cases import case_of, defect_of

from pauca.evaluation import RunStore, Unit

BATCH = 2000
# Wall-clock seconds of a batch, far above what it takes.
BATCH_SECONDS = 4 * 3600


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, help="cases to run here and now")
    parser.add_argument("--cases", type=int, default=2000, help="run all cases below this number")
    parser.add_argument("--first", type=int, default=0, help="run no cases below this number")
    parser.add_argument("--jobs", type=int, default=1, help="number of batches at a time")
    parser.add_argument("--store", default="fuzz.sqlite", help="file of the results")
    parser.add_argument("--batch", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.batch:
        return run_batch(options.numbers, options.batch)
    if options.numbers:
        return show(options.numbers)
    return run_all(range(options.first, options.cases), options.store, options.jobs)


def show(numbers):
    """Run some cases in this process and describe them."""
    found = {number: defect_of(case_of(number)) for number in numbers}
    for number, defect in found.items():
        print(f"{number}: {case_of(number).description}: {defect or 'fine'}")
    return int(any(found.values()))


def run_batch(numbers, path):
    """Run cases and write one line for each before it starts and after it ends."""
    with path.open("a", encoding="utf-8") as file:
        for number in numbers:
            for defect in ("died", defect_of(case_of(number))):
                print(json.dumps([number, defect]), file=file, flush=True)
    return 0


def run_all(cases, path, n_jobs=1):
    """Run all cases that are not in the store, then list the defects."""
    with RunStore(path) as store, ThreadPoolExecutor(n_jobs) as pool:
        left = [k for k in cases if unit(k) not in store]
        waiting, n_left = [left[at : at + BATCH] for at in range(0, len(left), BATCH)], len(left)
        while waiting:
            rest = []
            for batch, found in zip(waiting, pool.map(outcome_of, waiting), strict=True):
                store.put_all({unit(k): {"defect": defect} for k, defect in found.items()})
                rest += [[k for k in batch if k not in found]]
                n_left -= len(found)
                print(f"\r{len(cases) - n_left} of {len(cases)} cases", end="", file=sys.stderr, flush=True)
            waiting = [batch for batch in rest if batch]
        rows = {k: store[unit(k)]["defect"] for k in cases}
    defects = {k: defect for k, defect in rows.items() if defect}
    print(file=sys.stderr)
    for number, defect in defects.items():
        print(f"python tests/fuzz/run.py {number}  # {case_of(number).description}: {defect}")
    print(f"{len(rows) - len(defects)} passed, {len(defects)} failed")
    return int(bool(defects))


def unit(number):
    return Unit("fuzz", "case", number, "fit")


def outcome_of(numbers):
    """Defects by number; of a batch whose process died, those up to the case that killed it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "batch"
        command = [sys.executable, __file__, "--batch", str(path), *map(str, numbers)]
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, timeout=BATCH_SECONDS, check=False)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = dict(json.loads(line) for line in lines)
    return found or {numbers[0]: "no process could be started"}


if __name__ == "__main__":
    sys.exit(main())
