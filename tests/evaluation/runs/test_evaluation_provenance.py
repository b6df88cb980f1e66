"""Description of the machine that computed a result."""

from pauca.evaluation.runs.provenance import machine_line


def test_a_machine_in_one_line():
    machine = {"processor": "P", "cores": 2, "python": "3.12.0", "packages": {"numpy": "2.0", "rust": None}}
    assert machine_line(machine) == "P, 2 cores, Python 3.12.0, numpy 2.0"


def test_the_fingerprint_knows_the_machines_that_a_protocol_names(monkeypatch):
    from pauca import machines
    from pauca.evaluation.runs import provenance

    def settings(source):
        return "\n".join(provenance._settings(source))

    assert settings("SVC()") == ""
    assert "max_candidates" in settings("RVMClassifier(gamma=1)")
    assert "PCVMClassifier" not in settings("RVMClassifier(gamma=1)")
    before = settings('as_published("pcvm")')
    assert "'n_init': 8" in before
    monkeypatch.setattr(machines, "as_published", lambda name: machines.PCVMClassifier(n_init=9))
    assert settings('as_published("pcvm")') != before
