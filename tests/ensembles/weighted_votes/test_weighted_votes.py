"""Early exit of weighted ensembles: certificates by enumeration, the rule by sampling by simulation."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca.datasets import make_waveform
from pauca.ensembles import InstancePrunedWeightedClassifier
from pauca.ensembles.weighted_votes.additive_members import AdditiveMembers, additive_members
from pauca.ensembles.weighted_votes.evaluation import evaluate

MEMBERS = [
    ("logistic", LogisticRegression()),
    ("bayes", GaussianNB()),
    ("shallow", DecisionTreeClassifier(max_depth=3, random_state=0)),
    ("deep", DecisionTreeClassifier(random_state=0)),
    ("near", KNeighborsClassifier(5)),
]
ENSEMBLES = {
    "adaboost": AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=30, random_state=0),
    "votes": VotingClassifier(MEMBERS, weights=[3, 1, 2, 1, 1]),
    "equal votes": VotingClassifier([*MEMBERS[:3], ("none", "drop"), *MEMBERS[3:]]),
    "probabilities": VotingClassifier(MEMBERS, voting="soft", weights=[3, 1, 2, 1, 1]),
    "stacking": StackingClassifier(MEMBERS, cv=3),
    "stacking with rows": StackingClassifier(MEMBERS, cv=3, passthrough=True),
}


def problem(n_classes, n_rows=500):
    X, y = make_waveform(n_rows, random_state=0)
    y = np.unique(y, return_inverse=True)[1]
    return X, np.array(["eins", "zwei", "drei"])[y if n_classes == 3 else np.minimum(y, 1)]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classes_are_those_of_the_whole_ensemble(name, n_classes):
    X, y = problem(n_classes)
    ours = InstancePrunedWeightedClassifier(ENSEMBLES[name]).fit(X[:200], y[:200])
    labels, queries = ours.predict(X[200:], return_queries=True)
    assert np.array_equal(labels, ours.ensemble_.predict(X[200:]))
    assert queries.mean() < ours.n_members_
    assert sorted(ours.order_) == list(range(ours.n_members_))


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_no_answers_of_the_members_left_change_a_decided_class(n_outputs):
    rng = np.random.default_rng(0)
    n_answers, n_members = (2, 6) if n_outputs == 1 else (3, 5)
    factors = [rng.normal(size=(n_answers, n_outputs)) * 10.0**-m for m in range(n_members)]
    corners = np.eye(n_answers)
    given = rng.dirichlet(np.ones(n_answers), size=(n_members, 60))
    members = AdditiveMembers(
        [lambda rows, m=m: given[m][rows] for m in range(n_members)],
        factors,
        lambda rows: np.zeros((len(rows), n_outputs)),
        np.arange(max(2, n_outputs)),
        n_outputs,
    )
    scores, queries = evaluate(members, np.arange(60), 1.0)
    assert queries.min() < n_members
    for row, seen in enumerate(queries):
        decided = scores[row].argmax() if n_outputs > 1 else int(scores[row, 0] > 0)
        for answers in product(corners, repeat=n_members - seen):
            final = scores[row] + sum(a @ f for a, f in zip(answers, factors[seen:], strict=True))
            assert (final.argmax() if n_outputs > 1 else int(final[0] > 0)) == decided


def test_undecided_rows_could_still_change():
    # One member fewer and some answers of the others give another class: the certificate is not loose.
    rng = np.random.default_rng(1)
    weights, votes = rng.random(7), rng.integers(2, size=(7, 50))
    members = AdditiveMembers(
        [lambda rows, m=m: np.eye(2)[votes[m][rows]] for m in range(7)],
        [w * np.eye(2) for w in weights],
        lambda rows: np.zeros((len(rows), 2)),
        np.arange(2),
        2,
    )
    _, queries = evaluate(members, np.arange(50), 1.0)
    for row, seen in enumerate(queries):
        lead = sum(weights[m] * (2 * votes[m, row] - 1) for m in range(seen - 1))
        assert abs(lead) <= weights[seen - 1 :].sum() + 1e-9


@pytest.mark.parametrize("confidence", [0.9, 0.99])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rule_by_sampling_agrees_as_often_as_promised(confidence, n_classes):
    rng = np.random.default_rng(2)
    n_members, n_rows = 200, 3000
    weights = rng.uniform(0.5, 1.5, n_members)
    shares = rng.dirichlet(np.full(n_classes, 1.0), size=n_rows)
    votes = (rng.random((n_members, n_rows, 1)) > shares.cumsum(axis=1)).sum(axis=2)
    votes = np.minimum(votes, n_classes - 1)
    members = AdditiveMembers(
        [lambda rows, m=m: np.eye(n_classes)[votes[m][rows]] for m in range(n_members)],
        [w * np.eye(n_classes) for w in weights],
        lambda rows: np.zeros((len(rows), n_classes)),
        np.arange(n_classes),
        n_classes,
    )
    scores, queries = evaluate(members, np.arange(n_rows), confidence)
    whole = np.stack([weights @ (votes == k) for k in range(n_classes)], axis=1)
    assert np.mean(scores.argmax(axis=1) == whole.argmax(axis=1)) >= confidence
    assert queries.mean() < 0.45 * n_members


def test_statistical_rule_of_the_estimator():
    X, y = problem(2, 700)
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=80, random_state=0)
    exact = InstancePrunedWeightedClassifier(boosted).fit(X[:300], y[:300])
    ours = InstancePrunedWeightedClassifier(exact.ensemble_, 0.98, random_state=0)
    labels, queries = ours.predict(X[300:], return_queries=True)
    assert np.mean(labels == exact.predict(X[300:])) >= 0.97
    assert queries.mean() < exact.predict(X[300:], return_queries=True)[1].mean()


@pytest.mark.parametrize(
    ("ensemble", "message"),
    [
        (RandomForestClassifier(3), "must be a AdaBoostClassifier, VotingClassifier or StackingClassifier"),
        (
            StackingClassifier(MEMBERS[:2], final_estimator=GaussianNB()),
            "must stack with a LogisticRegression",
        ),
        (StackingClassifier(MEMBERS[:2], stack_method="predict"), "must stack probabilities"),
    ],
)
def test_errors(ensemble, message):
    X, y = problem(2, 100)
    y = (y == "eins").astype(int)
    with pytest.raises(ValueError, match=message):
        InstancePrunedWeightedClassifier(ensemble).fit(X, y)


def test_gains_of_a_vote_are_its_weight():
    X, y = problem(3, 100)
    members = additive_members(VotingClassifier(MEMBERS, weights=[3, 1, 2, 1, 1]).fit(X, y))
    np.testing.assert_array_equal(members.gains()[:, 0, 1], [3, 1, 2, 1, 1])
    assert (members.gains()[:, 1, 1] == 0).all()


@parametrize_with_checks(
    [InstancePrunedWeightedClassifier(AdaBoostClassifier(n_estimators=5, random_state=0), random_state=0)]
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_frames_reach_the_members_as_they_are():
    X, y = problem(2, 200)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    ours = InstancePrunedWeightedClassifier(ENSEMBLES["votes"]).fit(frame, y)
    assert np.array_equal(ours.predict(frame), ours.ensemble_.predict(frame))
