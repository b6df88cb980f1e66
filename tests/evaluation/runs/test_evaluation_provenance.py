"""Description of the machine that computed a result."""

from pauca.evaluation.runs.provenance import machine_line


def test_a_machine_in_one_line():
    machine = {"processor": "P", "cores": 2, "python": "3.12.0", "packages": {"numpy": "2.0", "rust": None}}
    assert machine_line(machine) == "P, 2 cores, Python 3.12.0, numpy 2.0"
