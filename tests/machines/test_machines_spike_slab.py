"""Spike-and-slab machines: exact posteriors of small problems, invariances, awkward features, selection."""

import numpy as np
import pytest
from enumerated import enumerated
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pauca
from pauca import SpikeSlabClassifier, SpikeSlabRegressor

EXACT = {"tol": 1e-8, "max_iter": 2000}


def draw(n, d, seed, correlation=0.0):
    """Features with a correlation between neighbours that falls off, and labels by the first two."""
    rng = np.random.default_rng(seed)
    places = np.arange(d)
    covariance = correlation ** np.abs(np.subtract.outer(places, places))
    X = rng.normal(size=(n, d)) @ np.linalg.cholesky(covariance).T
    y = np.where(X[:, 0] - 0.8 * X[:, 1] + rng.normal(size=n) > 0, 1, -1)
    y[:2] = [-1, 1]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture(scope="module")
def genes():
    """Few rows, many features, two of which matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 500))
    return X, np.where(2 * X[:, 7] - 2 * X[:, 70] + rng.normal(size=60) > 0, "ill", "healthy")


def errors(n, d, correlation=0.0, n_seeds=8):
    """How far probabilities of features, of classes, and log evidences are from the exact ones."""
    pairs = []
    for seed in range(n_seeds):
        X, y = draw(n, d, seed, correlation)
        exact = enumerated(X, y, 0.25, n_nodes=5)
        machine = SpikeSlabClassifier(0.25 * d, **EXACT).fit(X, y)
        found = machine.inclusion_probabilities_, machine.predict_proba(X)[:, 1], machine.log_evidence_
        expected = exact.inclusion, exact.probabilities, exact.log_evidence
        pairs.append([np.abs(ours - theirs) for ours, theirs in zip(found, expected, strict=True)])
    return [np.array(part) for part in zip(*pairs, strict=True)]


@pytest.mark.parametrize(("n", "d"), [(8, 2), (20, 3), (30, 4), (15, 5)])
def test_probabilities_of_independent_features_are_nearly_exact(n, d):
    inclusion, classes, evidence = errors(n, d)
    assert inclusion.mean() < 0.025
    assert np.mean(inclusion < 0.05) > 0.9
    assert inclusion.max() < 0.1
    assert np.median(classes.max(axis=1)) < 0.05
    assert evidence.max() < 0.4


@pytest.mark.parametrize(
    ("correlation", "mean", "within"), [(0.3, 0.04, 0.75), (0.6, 0.1, 0.5), (0.9, 0.12, 0.4)]
)
def test_error_grows_with_correlation_as_documented(correlation, mean, within):
    inclusion, _, evidence = errors(20, 4, correlation)
    assert inclusion.mean() < mean
    assert np.mean(inclusion < 0.05) > within
    assert evidence.max() < 1.0


def test_six_features():
    X, y = draw(12, 6, 0)
    exact = enumerated(X, y, 0.2, n_nodes=4)
    machine = SpikeSlabClassifier(1.2, **EXACT).fit(X, y)
    np.testing.assert_allclose(machine.inclusion_probabilities_, exact.inclusion, atol=0.08)
    assert machine.ranking_[0] == np.argmax(exact.inclusion)


def test_weights_against_enumeration():
    X, y = draw(12, 3, 1)
    weights = np.random.default_rng(0).uniform(0.2, 3, size=12)
    X = (X - np.average(X, axis=0, weights=weights)) / np.sqrt(
        np.average(np.square(X - np.average(X, axis=0, weights=weights)), axis=0, weights=weights)
    )
    exact = enumerated(X, y, 0.3, weights=weights)
    machine = SpikeSlabClassifier(0.9, **EXACT).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(machine.inclusion_probabilities_, exact.inclusion, atol=0.06)
    assert machine.log_evidence_ == pytest.approx(exact.log_evidence, abs=0.3)


def test_gibbs_agrees_with_enumeration():
    X, y = draw(20, 3, 2, 0.8)
    exact = enumerated(X, y, 0.3)
    machine = SpikeSlabClassifier(0.9, inference="gibbs", n_samples=4000, n_burn_in=200, n_chains=2).fit(X, y)
    np.testing.assert_allclose(machine.inclusion_probabilities_, exact.inclusion, atol=0.02)
    np.testing.assert_allclose(machine.coef_[0], exact.mean, atol=0.06)
    np.testing.assert_allclose(machine.predict_proba(X)[:, 1], exact.probabilities, atol=0.02)
    assert machine.converged_
    for entry in machine.diagnostics_[0].values():
        assert entry["r_hat"] < 1.02
        assert 200 < entry["effective_samples"] <= 8000


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_gibbs_of_several_classes_and_whole_weights():
    X, y = make_classification(60, 12, n_informative=4, n_classes=3, random_state=0)
    machine = SpikeSlabClassifier(4, inference="gibbs", n_samples=200, n_burn_in=50)
    weights = np.where(np.arange(60) < 10, 2, 1)
    weighted = clone(machine).fit(X, y, sample_weight=weights)
    repeated = clone(machine).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))
    assert len(weighted.diagnostics_) == 3
    assert np.mean(weighted.predict(X) == y) > 0.6


@pytest.mark.parametrize("arguments", [{"spike_variance": 0.1}, {"expected_features": "evidence"}])
def test_gibbs_says_what_it_cannot_do(genes, arguments):
    with pytest.raises(ValueError, match="inference='gibbs' needs"):
        SpikeSlabClassifier(inference="gibbs", **arguments).fit(*genes)
    with pytest.raises(ValueError, match="whole sample weights"):
        SpikeSlabClassifier(inference="gibbs").fit(*genes, sample_weight=np.full(60, 0.5))


def test_order_of_features_and_rows_means_nothing(genes):
    X, y = genes
    machine = SpikeSlabClassifier().fit(X, y)
    rows, features = np.random.default_rng(1).permutation(60), np.random.default_rng(2).permutation(500)
    other = SpikeSlabClassifier().fit(X[rows][:, features], y[rows])
    np.testing.assert_allclose(
        other.inclusion_probabilities_, machine.inclusion_probabilities_[features], rtol=1e-6
    )
    np.testing.assert_array_equal(features[other.ranking_[:2]], machine.ranking_[:2])


def test_swapped_labels_mirror_everything(genes):
    X, y = genes
    machine, mirrored = SpikeSlabClassifier().fit(X, y == "ill"), SpikeSlabClassifier().fit(X, y != "ill")
    np.testing.assert_allclose(machine.coef_, -mirrored.coef_, atol=1e-10)
    np.testing.assert_allclose(machine.predict_proba(X), mirrored.predict_proba(X)[:, ::-1])
    assert machine.log_evidence_ == pytest.approx(mirrored.log_evidence_)


def test_units_of_the_features_mean_nothing(genes):
    X, y = genes
    scale, shift = np.geomspace(1e-6, 1e6, 500), np.linspace(-5, 5, 500)
    machine, other = SpikeSlabClassifier().fit(X, y), SpikeSlabClassifier().fit(scale * (X + shift), y)
    np.testing.assert_allclose(other.inclusion_probabilities_, machine.inclusion_probabilities_, rtol=1e-4)
    np.testing.assert_allclose(other.coef_ * scale, machine.coef_, rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(other.predict_proba(scale * (X + shift)), machine.predict_proba(X), atol=1e-5)


def test_latent_mean_is_linear_in_X_as_given(genes):
    X, y = genes[0] + 3, genes[1]
    machine = SpikeSlabClassifier().fit(X, y)
    np.testing.assert_allclose(machine._latent(X)[0], X @ machine.coef_.T + machine.intercept_)


def test_standardisation_can_be_switched_off(genes):
    X, y = genes
    standardised = StandardScaler().fit_transform(X)
    machine = SpikeSlabClassifier(standardize=False).fit(standardised, y)
    np.testing.assert_allclose(
        machine.inclusion_probabilities_, SpikeSlabClassifier().fit(X, y).inclusion_probabilities_, rtol=1e-6
    )


def test_constant_features_keep_their_prior_probability(genes):
    X, y = genes
    X = np.column_stack([X, np.full(60, 7.3), np.zeros(60)])
    machine = SpikeSlabClassifier().fit(X, y)
    np.testing.assert_allclose(machine.inclusion_probabilities_[-2:], machine.prior_inclusion_)
    np.testing.assert_array_equal(machine.coef_[0, -2:], 0)


def test_copies_of_a_feature_share_its_probability(genes):
    X, y = genes
    machine = SpikeSlabClassifier().fit(np.column_stack([X, X[:, 7]]), y)
    first, second = machine.inclusion_probabilities_[[7, 500]]
    assert first == pytest.approx(second, abs=0.02)
    assert first > 5 * machine.prior_inclusion_
    assert {7, 70, 500} == set(machine.ranking_[:3])


def test_four_rows():
    X = np.random.default_rng(0).normal(size=(4, 50))
    machine = SpikeSlabClassifier().fit(X, [0, 1, 0, 1])
    assert np.isfinite(machine.predict_proba(X)).all()
    assert ((machine.inclusion_probabilities_ > 0) & (machine.inclusion_probabilities_ < 1)).all()


def test_gaussian_prior_includes_everything(genes):
    machine = SpikeSlabClassifier(prior="gaussian").fit(*genes)
    np.testing.assert_array_equal(machine.inclusion_probabilities_, 1)
    assert machine.ranking_[:2].tolist() == sorted(
        machine.ranking_[:2], key=lambda j: -abs(machine.coef_[0, j])
    )
    assert machine.log_evidence_ < SpikeSlabClassifier().fit(*genes).log_evidence_


def test_few_expected_features_shrink_the_weights(genes):
    many, few = (np.abs(SpikeSlabClassifier(number).fit(*genes).coef_).sum() for number in (32, 1e-6))
    assert few < 1e-2 * many


def test_evidence_chooses_the_number_of_features(genes):
    chosen = SpikeSlabClassifier("evidence").fit(*genes)
    evidences = {
        number: SpikeSlabClassifier(number).fit(*genes).log_evidence_ for number in (1, 2, 4, 32, 128)
    }
    assert chosen.log_evidence_ >= max(evidences.values()) - 1e-6
    assert chosen.expected_features_ < 32


def test_single_precision_is_kept(genes):
    X, y = genes
    double, single = SpikeSlabClassifier().fit(X, y), SpikeSlabClassifier().fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.inclusion_probabilities_, double.inclusion_probabilities_, atol=1e-3)
    assert single.transform(X.astype(np.float32)).dtype == np.float32


def test_selection_by_threshold_and_by_number(genes):
    X, y = genes
    machine = SpikeSlabClassifier(threshold=0.3).fit(X, y)
    assert machine.get_support(indices=True).tolist() == [7, 70]
    np.testing.assert_array_equal(machine.transform(X), X[:, [7, 70]])
    assert machine.set_params(n_features_to_select=9).transform(X).shape == (60, 9)
    assert machine.set_params(n_features_to_select=None, threshold=2).get_support().sum() == 1
    assert machine.get_feature_names_out().tolist() == [f"x{machine.ranking_[0]}"]


def test_several_classes():
    X, y = make_classification(
        120, 40, n_informative=5, n_redundant=0, n_classes=3, shuffle=False, random_state=1
    )
    machine = SpikeSlabClassifier(5).fit(X, y)
    assert machine.coef_.shape == machine.inclusion_by_class_.shape == (3, 40)
    np.testing.assert_array_equal(machine.inclusion_probabilities_, machine.inclusion_by_class_.max(axis=0))
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1)
    assert set(machine.ranking_[:3]) <= set(range(5))
    assert machine.score(X, y) > 0.6


def test_class_weights_are_sample_weights(genes):
    X, y = genes
    weighted = SpikeSlabClassifier(class_weight={"ill": 2.0, "healthy": 0.5}).fit(X, y)
    weights = np.where(y == "ill", 2.0, 0.5)
    same = SpikeSlabClassifier().fit(X, y, sample_weight=weights * (len(y) / weights.sum()))
    np.testing.assert_allclose(weighted.coef_, same.coef_)
    assert (
        weighted.predict_proba(X)[:, 1].mean() > SpikeSlabClassifier().fit(X, y).predict_proba(X)[:, 1].mean()
    )


def test_no_convergence_warns(genes):
    with pytest.warns(ConvergenceWarning, match="raise max_iter=1"):
        machine = SpikeSlabClassifier(max_iter=1).fit(*genes)
    assert not machine.converged_
    assert np.isfinite(machine.predict_proba(genes[0])).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("expected_features", 0),
        ("expected_features", "many"),
        ("slab_variance", 0.0),
        ("spike_variance", -1),
        ("spike_variance", 2.0),
        ("prior", "laplace"),
        ("inference", "vb"),
        ("threshold", -0.1),
        ("n_features_to_select", 0),
        ("tol", "small"),
        ("max_iter", 0),
        ("n_samples", 1.5),
        ("n_chains", 0),
    ],
)
def test_wrong_arguments_are_named(genes, name, value):
    with pytest.raises(ValueError, match=name):
        SpikeSlabClassifier(**{name: value}).fit(*genes)


def test_regression_finds_features_and_noise():
    rng = np.random.default_rng(0)
    X, X_new = rng.normal(size=(80, 300)), rng.normal(size=(1000, 300))
    truth = lambda rows: 100 + 20 * rows[:, 3] - 10 * rows[:, 30]  # noqa: E731
    machine = SpikeSlabRegressor(8).fit(X, truth(X) + 5 * rng.normal(size=80))
    assert set(machine.ranking_[:2]) == {3, 30}
    assert machine.noise_std_ == pytest.approx(5, rel=0.3)
    mean, std = machine.predict(X_new, return_std=True)
    assert np.sqrt(np.mean(np.square(mean - truth(X_new)))) < 3
    inside = np.abs(truth(X_new) + 5 * rng.normal(size=1000) - mean) < 2 * std
    assert 0.9 < inside.mean() < 0.99
    np.testing.assert_allclose(mean, X_new @ machine.coef_ + machine.intercept_)


def test_regression_with_a_gaussian_prior_is_ridge_regression():
    rng = np.random.default_rng(1)
    X = StandardScaler().fit_transform(rng.normal(size=(40, 8)))
    y = X[:, 0] + 0.3 * rng.normal(size=40)
    y = (y - y.mean()) / y.std()
    machine = SpikeSlabRegressor(prior="gaussian", noise_variance=0.2, **EXACT).fit(X, y)
    np.testing.assert_allclose(machine.coef_, Ridge(0.2).fit(X, y).coef_, rtol=1e-5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("inference", ["ep", "gibbs"])
def test_saved_machines_give_the_same_bits(genes, inference, tmp_path):
    X, y = genes
    machine = make_pipeline(
        StandardScaler(), SpikeSlabClassifier(inference=inference, n_samples=20, n_burn_in=5)
    )
    pauca.save(machine.fit(X, y), tmp_path / "model")
    np.testing.assert_array_equal(pauca.load(tmp_path / "model").predict_proba(X), machine.predict_proba(X))


def test_prostate_cancer(data_directory):
    """Few of 12600 genes stand out."""
    data = pauca.datasets.load("singh")
    machine = SpikeSlabClassifier().fit(data.X, data.y)
    assert machine.converged_
    assert machine.inclusion_probabilities_[machine.ranking_[0]] > 0.95
    assert np.sum(machine.inclusion_probabilities_ > 0.5) <= 5
    assert machine.score(data.X, data.y) > 0.9


def test_neighbours_on_a_chromosome_need_another_schedule(data_directory):
    data = pauca.datasets.load("gravier")
    machine = SpikeSlabClassifier().fit(data.X, data.y)
    assert machine.converged_
    assert machine.schedules_ == ["cut"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "arguments",
    [
        {"slab_variance": 1e6},
        {"slab_variance": 1e-6},
        {"expected_features": 1e-6},
        {"prior": "gaussian"},
        {"spike_variance": 0.5},
    ],
    ids=str,
)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (4, 3), (200, 10), (20, 300)])
def test_hostile_settings_give_finite_numbers(n, d, arguments, dtype):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)).astype(dtype), np.arange(n) % 2
    for rows in (
        X,
        np.exp(5 * X),
        np.tile(X[:, :1], (1, d)),
        np.ones_like(X),
        dtype(1e-20) * X,
        dtype(1e20) * X,
    ):
        machine = SpikeSlabClassifier(**arguments).fit(rows, y)
        assert np.isfinite(machine.predict_proba(rows)).all()
        assert np.isfinite([machine.coef_, machine.coef_std_]).all()
        assert np.isfinite(machine.log_evidence_)


@pytest.mark.parametrize("weight", [1e-8, 1e-2, 1e3, 1e8])
def test_hostile_weights_give_finite_numbers(genes, weight):
    machine = SpikeSlabClassifier().fit(*genes, sample_weight=np.full(60, weight))
    assert np.isfinite(machine.predict_proba(genes[0])).all()
    if weight < 1:
        np.testing.assert_allclose(machine.inclusion_probabilities_, machine.prior_inclusion_, rtol=0.2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sites_that_run_away_leave_the_prior():
    rng = np.random.default_rng(0)
    machine = SpikeSlabRegressor(noise_variance=1e-12).fit(
        rng.normal(size=(4, 3)).astype("f4"), rng.normal(size=4)
    )
    assert np.isfinite(machine.predict(np.ones((1, 3)), return_std=True)).all()


def test_features_too_large_to_be_taken_as_they_are(genes):
    with pytest.raises(ValueError, match=r"X has entries beyond 1e\+06; .* standardize=True"):
        SpikeSlabClassifier(standardize=False).fit(1e7 * genes[0], genes[1])
