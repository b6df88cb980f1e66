"""Tables and targets of the regret study."""

import numpy as np

from pauca.evaluation import Target

from ..harness.report import Report, Table

UNPENALISED = "unpenalised evidence"
ONE_SCALE = "evidence, one scale"
_TARGET_RULE = "evidence"
# The project's targets on the mean regret of "evidence" in classification, in nats.
_TARGET_NATS = {"rvm": 0.01, "vrvm": 0.01, "sparsegp": 0.015, "epcvm": 0.015}


def report(records, machine="rvm"):
    """Regret by rule and by set for each task; the targets are on classification."""
    notes = sorted({record["failed"] for record in records if "failed" in record})
    records = [record for record in records if "failed" not in record]
    tables, targets = [], []
    for task in dict.fromkeys(record["task"] for record in records):
        mine = [record for record in records if record["task"] == task]
        by_rule = rule_rows(mine)
        tables += [Table(f"Regret in {task}, nats, {len(mine)} splits", by_rule)]
        tables += [Table(f"Mean regret by set, {task}", set_rows(mine))]
        if task == "classification":
            targets = _targets(by_rule, _TARGET_NATS[machine])
    return Report(tables, targets, notes)


def rule_rows(records):
    """Mean, quantiles and maximum of the regret, seconds and size for each rule."""
    rows = []
    for rule in records[0]["rules"]:
        chosen = [record["rules"][rule] for record in records]
        regrets = np.array([_regret(record, rule) for record in records])
        rows.append(
            {
                "rule": rule,
                "mean": float(regrets.mean()),
                "median": float(np.median(regrets)),
                "90 %": float(np.quantile(regrets, 0.9)),
                "max": float(regrets.max()),
                "seconds": _mean(chosen, "seconds"),
                "vectors": _mean(chosen, "vectors"),
                "converged": _mean(chosen, "converged"),
            }
        )
    return rows


def set_rows(records):
    """Best loss on the grid and mean regret of each rule for each set."""
    rows = []
    for name in dict.fromkeys(record["set"] for record in records):
        mine = [record for record in records if record["set"] == name]
        best = float(np.mean([_best(record) for record in mine]))
        regrets = {
            rule: float(np.mean([_regret(record, rule) for record in mine])) for rule in mine[0]["rules"]
        }
        rows.append({"set": name, "best loss": best, **regrets})
    return rows


def _best(record):
    return min(point["loss"] for point in record["grid"])


def _regret(record, rule):
    return record["rules"][rule]["loss"] - _best(record)


def _mean(chosen, name):
    return float(np.mean([choice[name] for choice in chosen]))


def _targets(by_rule, nats):
    mean = {row["rule"]: row["mean"] for row in by_rule}
    others = min(value for rule, value in mean.items() if rule != _TARGET_RULE)
    return [
        Target("mean regret of evidence, nats", mean[_TARGET_RULE], nats, False),
        Target(
            "mean regret of evidence minus that of the best other rule", mean[_TARGET_RULE] - others, 0, False
        ),
    ]
