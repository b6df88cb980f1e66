"""Correlated features: probabilities beside enumeration and chains, credible sets beside susieR's rule."""

import numpy as np
import pytest
from benchmarks.genes.susie import genotypes, susie_sets
from enumerated import enumerated, sampled

from pauca import SpikeSlabClassifier, SpikeSlabRegressor
from pauca.inference.ep import credible_sets
from pauca.inference.ep.wide.effects import Effects
from pauca.inference.ep.wide.subsets import Subsets
from pauca.persistence import load, save
from pauca.priors import SpikeSlab


def draw(n, d, seed, correlation):
    rng = np.random.default_rng(seed)
    covariance = correlation ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))
    X = rng.normal(size=(n, d)) @ np.linalg.cholesky(covariance).T
    f = X[:, 0] - 0.8 * X[:, d // 2]
    y = np.where(f + rng.normal(size=n) > 0, 1, -1)
    y[:2] = [-1, 1]
    return (X - X.mean(axis=0)) / X.std(axis=0), y, f + rng.normal(size=n)


@pytest.mark.parametrize("correlation", [0.6, 0.8, 0.95])
def test_probabilities_under_correlation_are_those_of_enumeration(correlation):
    errors, evidence, classes = [], [], []
    for seed in range(6):
        X, y, _ = draw(30, 4, seed, correlation)
        exact = enumerated(X, y, 0.25, n_nodes=5)
        machine = SpikeSlabClassifier(1, inference="single-effects", no_signal=0, tol=1e-6).fit(X, y)
        assert machine.converged_
        errors.append(np.abs(machine.inclusion_probabilities_ - exact.inclusion))
        classes.append(np.abs(machine.predict_proba(X)[:, 1] - exact.probabilities))
        evidence.append(abs(machine.log_evidence_ - exact.log_evidence))
    assert np.mean(np.array(errors) < 0.05) >= 0.9
    assert np.max(errors) < 0.1
    assert np.max(classes) < 0.05
    assert max(evidence) < 0.2


def test_importance_sampling_agrees_with_quadrature():
    X, y, _ = draw(30, 4, 0, 0.9)
    exact = enumerated(X, y, 0.25, n_nodes=7)
    inclusion, log_evidence = sampled(X, y, 0.25, n_draws=400)
    np.testing.assert_allclose(inclusion, exact.inclusion, atol=0.01)
    assert log_evidence == pytest.approx(exact.log_evidence, abs=0.03)


@pytest.mark.parametrize(
    ("d", "n_seeds"), [(9, 2), pytest.param(12, 6, marks=pytest.mark.slow)], ids=["9 features", "12 features"]
)
@pytest.mark.parametrize("correlation", [0.6, 0.8, 0.95])
def test_more_features_beside_enumeration(correlation, d, n_seeds):
    errors = {"single-effects": [], "ep": []}
    for seed in range(n_seeds):
        X, y, _ = draw(60, d, seed, correlation)
        exact, log_evidence = sampled(X, y, 2 / d)
        for inference, found in errors.items():
            machine = SpikeSlabClassifier(2, inference=inference, no_signal=0).fit(X, y)
            found.append(np.abs(machine.inclusion_probabilities_ - exact))
            assert machine.log_evidence_ == pytest.approx(log_evidence, abs=0.5)
    assert np.mean(np.array(errors["single-effects"]) < 0.05) >= 0.9
    assert np.mean(np.array(errors["ep"]) < 0.05) >= 0.75


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.6, 0.95])
@pytest.mark.parametrize("seed", range(2))
def test_twelve_features_beside_long_chains(correlation, seed):
    X, y, _ = draw(60, 12, seed, correlation)
    machine = SpikeSlabClassifier(2, inference="single-effects", no_signal=0).fit(X, y)
    chains = SpikeSlabClassifier(2, inference="gibbs", n_samples=15_000, n_chains=2).fit(X, y)
    errors = np.abs(machine.inclusion_probabilities_ - chains.inclusion_probabilities_)
    assert np.mean(errors < 0.05) >= 0.9


def test_regression_of_few_features_is_exact():
    X, _, y = draw(40, 3, 0, 0.9)
    y = (y - y.mean()) / y.std()
    machine = SpikeSlabRegressor(1, noise_variance=0.4, inference="single-effects", no_signal=0).fit(X, y)
    logs, sets = [], [np.array(used, dtype=bool) for used in np.ndindex(2, 2, 2)]
    for used in sets:
        Z = np.column_stack([np.ones(40), X[:, used]])
        S = Z @ Z.T + 0.4 * np.eye(40)
        _, log_det = np.linalg.slogdet(2 * np.pi * S)
        logs.append(-0.5 * (log_det + y @ np.linalg.solve(S, y)) + used.sum() * np.log(0.5))
    chance = np.exp(np.array(logs) - np.logaddexp.reduce(logs))
    np.testing.assert_allclose(machine.inclusion_probabilities_, chance @ sets, rtol=1e-6)
    # The sum has odds of 1/2 for every feature, in place of the probabilities 1/3 and 2/3.
    expected = np.logaddexp.reduce(logs) + 3 * np.log(2 / 3)
    assert machine.log_evidence_ == pytest.approx(expected, abs=1e-6)


def problem(seed=0, n=60, d=30):
    rng = np.random.default_rng(seed)
    X = genotypes(n, d, 0.9, rng, block=10)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = np.where(X[:, 3] - X[:, 17] + rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y, rng


def test_one_effect_under_fixed_sites_is_exact():
    # With a single effect nothing is factorised: posterior and evidence follow by adding up its places.
    X, _, rng = problem(d=20)
    prior = SpikeSlab(np.append(1.0, np.full(20, 0.02)))
    precision, shift = rng.uniform(0.2, 1.0, 60), rng.normal(size=60)
    effects = Effects(X, prior, 1)
    assert effects.settle(precision, shift, 1e-12, 5)
    logs = []
    for columns in [np.ones((60, 1)), *(np.column_stack([np.ones(60), X[:, j]]) for j in range(20))]:
        A = np.eye(columns.shape[1]) + (columns.T * precision) @ columns
        g = columns.T @ shift
        logs.append(0.5 * (g @ np.linalg.solve(A, g) - np.linalg.slogdet(A)[1]))
    chance = np.append(0.6, np.full(20, 0.02))
    logs = np.array(logs) + np.log(chance)
    total = np.logaddexp.reduce(logs)
    np.testing.assert_allclose(effects.assignments[0], np.exp(logs[1:] - total), rtol=1e-8)
    assert effects.log_evidence(precision, shift) == pytest.approx(total, abs=1e-8)


def test_the_bound_never_falls():
    X, _, rng = problem()
    prior = SpikeSlab(np.append(1.0, np.full(30, 0.1)))
    precision, shift = rng.uniform(0.2, 1.0, 60), rng.normal(size=60)
    effects, path = Effects(X, prior, 5), []
    for _ in range(30):
        effects.update(precision, shift)
        path.append(effects.log_evidence(precision, shift))
    assert (np.diff(path) > -1e-9).all()
    exact = Subsets(X[:, :8], SpikeSlab(np.append(1.0, np.full(8, 0.1))))
    exact.update(precision, shift)
    part = Effects(X[:, :8], SpikeSlab(np.append(1.0, np.full(8, 0.1))), 5)
    part.settle(precision, shift, 1e-9, 500)
    assert part.log_evidence(precision, shift) < exact.log_evidence(precision, shift) + 0.3


def test_variance_of_latent_values_is_that_of_draws():
    X, _, rng = problem()
    effects = Effects(X, SpikeSlab(np.append(1.0, np.full(30, 0.1))), 4)
    precision, shift = rng.uniform(0.2, 1.0, 60), rng.normal(size=60)
    effects.settle(precision, shift, 1e-9, 200)
    n, latent = 100_000, np.zeros((60, 100_000))
    for chances, means, seconds in zip(effects.assignments, effects._means, effects._seconds, strict=True):
        weight = means / chances
        std = np.sqrt(seconds / chances - weight**2)
        places = rng.choice(31, n, p=np.append(chances, 1 - chances.sum()))
        drawn = np.append(weight, 0)[places] + np.append(std, 0)[places] * rng.normal(size=n)
        latent += np.column_stack([X, np.zeros(60)])[:, places] * drawn
    # The bias is Gaussian given the effects.
    total = precision.sum() + 1
    latent += (shift.sum() - precision @ latent) / total + rng.normal(size=n) / np.sqrt(total)
    np.testing.assert_allclose(effects.mean, latent.mean(axis=1), atol=0.01)
    np.testing.assert_allclose(effects.var, latent.var(axis=1), rtol=0.03)
    parts = effects.summary()
    z = X - parts["origin"]
    blur = z**2 @ parts["spread"] - np.square(z @ parts["shared"].T).sum(axis=1)
    np.testing.assert_allclose(parts["bias_var"] + blur, effects.var, rtol=1e-9)


def test_variance_of_subsets_is_that_of_their_covariance():
    X, _, _ = draw(60, 8, 0, 0.9)
    rng = np.random.default_rng(0)
    subsets = Subsets(X, SpikeSlab(np.append(1.0, np.full(8, 0.3))))
    subsets.update(rng.uniform(0.2, 1.0, 60), rng.normal(size=60))
    parts = subsets.summary()
    z = X - parts["origin"]
    blur = z**2 @ parts["spread"] - np.square(z @ parts["shared"].T).sum(axis=1)
    np.testing.assert_allclose(parts["bias_var"] + blur, subsets.var, rtol=1e-8)


def test_copies_of_a_feature_form_a_set():
    X, y, rng = problem(1, n=200, d=30)
    X[:, 4] = X[:, 3]
    X = X + 1e-6 * rng.normal(size=X.shape)
    machine = SpikeSlabClassifier(3, inference="single-effects").fit(X, y)
    (copies,) = [each for each in machine.credible_sets_ if 3 in each.features]
    assert {3, 4} <= set(copies.features)
    assert copies.purity > 0.5
    assert copies.probability >= 0.95
    assert copies.label == 1
    np.testing.assert_allclose(*machine.inclusion_probabilities_[[3, 4]], atol=0.02)


def test_sets_of_uncorrelated_features_are_dropped():
    X = np.random.default_rng(0).normal(size=(50, 10))
    spread = np.full((1, 10), 0.0999)
    assert credible_sets(spread, X, np.ones(50)) == []
    (found,) = credible_sets(spread, X, np.ones(50), min_purity=0.0)
    assert len(found.features) == 10
    sharp = np.zeros((2, 10))
    sharp[:, 4] = 0.99
    (found,) = credible_sets(sharp, X, np.ones(50), label="a")
    assert found.features.tolist() == [4]
    assert (found.purity, found.label) == (1.0, "a")
    assert credible_sets(0.9 * sharp, X, np.ones(50)) == []


def simulated(seeds, kind):
    """Coverage and sizes of credible sets, ours and those of the reference on the numeric outcome."""
    size = (0.3, 0.6) if kind == "numbers" else (0.5, 1.0)
    hits, sizes, reference_hits, reference_sizes = [], [], [], []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X = genotypes(200, 1000, rng.choice([0.9, 0.95, 0.98]), rng)
        G = (X - X.mean(axis=0)) / X.std(axis=0)
        true = rng.choice(1000, rng.integers(1, 4), replace=False)
        y = G[:, true] @ (rng.choice([-1, 1], len(true)) * rng.uniform(*size, len(true)))
        y = y + rng.normal(size=200)
        if kind == "numbers":
            # As in the published rule something matters.
            machine = SpikeSlabRegressor(5, inference="single-effects", no_signal=0).fit(X, y)
        else:
            machine = SpikeSlabClassifier(5, inference="single-effects").fit(X, y > 0)
        for each in machine.credible_sets_:
            hits.append(bool(set(each.features) & set(true)))
            sizes.append(len(each.features))
        for each in susie_sets(X, y) if kind == "numbers" else []:
            reference_hits.append(bool(set(each) & set(true)))
            reference_sizes.append(len(each))
    return np.array(hits), np.array(sizes), np.array(reference_hits), np.array(reference_sizes)


@pytest.mark.parametrize(("kind", "n"), [("numbers", 8), pytest.param("numbers", 30, marks=pytest.mark.slow)])
def test_sets_of_genotypes_are_as_good_as_the_published_rule(kind, n):
    hits, sizes, reference_hits, reference_sizes = simulated(range(100, 100 + n), kind)
    assert hits.mean() >= 0.93
    assert np.median(sizes) <= np.median(reference_sizes)
    assert len(hits) >= 0.85 * len(reference_hits)


@pytest.mark.slow
def test_sets_of_a_binary_outcome_cover():
    hits, *_ = simulated(range(200, 240), "classes")
    assert len(hits) > 40
    assert hits.mean() >= 0.93


def test_several_classes_have_sets_with_labels(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 40))
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + 0.3 * rng.normal(size=(150, 3)), axis=1)]
    machine = SpikeSlabClassifier(4, inference="single-effects").fit(X, y)
    assert {each.label for each in machine.credible_sets_} == {"a", "b", "c"}
    assert np.mean(machine.predict(X) == y) > 0.85
    save(machine, tmp_path / "sets.pauca")
    again = load(tmp_path / "sets.pauca")
    np.testing.assert_array_equal(again.predict_proba(X), machine.predict_proba(X))
    assert again.credible_sets_[0].features.tolist() == machine.credible_sets_[0].features.tolist()


@pytest.mark.parametrize("arguments", [{"spike_variance": 0.1}, {"prior": "gaussian"}])
@pytest.mark.parametrize("Machine", [SpikeSlabClassifier, SpikeSlabRegressor])
def test_other_priors_have_no_single_effects(Machine, arguments):
    with pytest.raises(ValueError, match="inference='single-effects' needs"):
        Machine(inference="single-effects", **arguments).fit(np.eye(6), [0, 1] * 3)


@pytest.mark.parametrize(("name", "value"), [("coverage", 1.5), ("min_purity", -1), ("n_effects", 0)])
def test_wrong_arguments_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        SpikeSlabClassifier(**{name: value}).fit(np.eye(6), [0, 1] * 3)


@pytest.mark.parametrize("d", [6, 20])
def test_compiled_machines_know_the_correlations(d):
    X, y, target = draw(60, d, 0, 0.9)
    machine = SpikeSlabClassifier(2, inference="single-effects").fit(X, y)
    np.testing.assert_allclose(machine.compiled().predict_proba(X), machine.predict_proba(X), atol=1e-6)
    numbers = SpikeSlabRegressor(2, inference="single-effects").fit(X, 3 * target + 1)
    np.testing.assert_allclose(numbers.compiled().predict(X), numbers.predict(X), atol=1e-6)
