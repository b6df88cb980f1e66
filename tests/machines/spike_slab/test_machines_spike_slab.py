"""Spike-and-slab estimators: invariances, awkward features, selection, regression."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pauca
from pauca import SpikeSlabClassifier, SpikeSlabRegressor


def test_order_of_features_and_rows_does_not_matter(genes):
    X, y = genes
    machine = SpikeSlabClassifier().fit(X, y)
    rows, features = np.random.default_rng(1).permutation(60), np.random.default_rng(2).permutation(500)
    other = SpikeSlabClassifier().fit(X[rows][:, features], y[rows])
    np.testing.assert_allclose(
        other.inclusion_probabilities_, machine.inclusion_probabilities_[features], rtol=1e-6
    )
    np.testing.assert_array_equal(features[other.ranking_[:2]], machine.ranking_[:2])


def test_swapped_labels_swap_probabilities_and_signs(genes):
    X, y = genes
    machine, mirrored = SpikeSlabClassifier().fit(X, y == "ill"), SpikeSlabClassifier().fit(X, y != "ill")
    np.testing.assert_allclose(machine.coef_, -mirrored.coef_, atol=1e-10)
    np.testing.assert_allclose(machine.predict_proba(X), mirrored.predict_proba(X)[:, ::-1])
    assert machine.log_evidence_ == pytest.approx(mirrored.log_evidence_)


def test_units_of_the_features_do_not_matter(genes):
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
    for inference in ("ep", "ep-independent"):
        machine = SpikeSlabClassifier(inference=inference, no_signal=0).fit(X, y)
        np.testing.assert_allclose(machine.inclusion_probabilities_[-2:], machine.prior_inclusion_)
        np.testing.assert_allclose(machine.coef_[0, -2:], 0, atol=1e-12)


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
    machine = SpikeSlabClassifier(threshold=0.5).fit(X, y)
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
    machine = SpikeSlabRegressor(prior="gaussian", noise_variance=0.2, tol=1e-8, max_iter=2000).fit(X, y)
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


def test_neighbours_on_a_chromosome_need_single_effects(data_directory):
    data = pauca.datasets.load("gravier")
    machine = SpikeSlabClassifier(inference="ep-independent", no_signal=0).fit(data.X, data.y)
    assert machine.converged_
    assert machine.schedules_ == ["single effects"]


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


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@pytest.mark.parametrize("weight", [1e-8, 1e-2, 1e3, 1e8])
def test_hostile_weights_give_finite_numbers(genes, weight):
    machine = SpikeSlabClassifier(no_signal=0).fit(*genes, sample_weight=np.full(60, weight))
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


def test_large_features_must_be_standardised(genes):
    with pytest.raises(ValueError, match=r"X has entries beyond 1e\+06; .* standardize=True"):
        SpikeSlabClassifier(standardize=False).fit(1e7 * genes[0], genes[1])
