"""The portable form says what the machine says."""

from dataclasses import replace

import numpy as np
import pytest
from c_programs import compiled, needs_compiler, predicted
from exported_machines import NAMES, fitted, predictions

from pauca.basis import Additive, ColumnMeasure, Matern32, Scaled
from pauca.export import Inputs, Latent, Link, Portable, Predictor, PriorVariance, to_c, to_onnx
from pauca.likelihoods import Gaussian


@pytest.mark.parametrize("name", NAMES)
def test_the_form_predicts_what_the_machine_predicts(name):
    machine, X = fitted(name)
    form = machine._portable()
    means, variances = form.latent(X)
    if form.classes is None:
        found = np.column_stack(form.link.numbers(means, variances))
    else:
        found = form.link.probabilities(means, variances)
    np.testing.assert_allclose(found, predictions(machine, X), atol=1e-9, rtol=1e-7)


class Enveloped:
    """A regression whose constant and trend end at a reach."""

    def _portable(self) -> Portable:
        form = fitted("sparse gp regressor, trend")[0]._portable()
        latent = form.latents[0]
        n = len(latent.weights)
        factor = np.pad(latent.factor, ((1, 0), (1, 0)))
        latent = Latent(np.arange(n), np.append(0.3, latent.weights), factor, PriorVariance(0.4, 0.2, 3.0))
        return replace(form, latents=(latent,), reach=2.5)


def test_constant_and_trend_end_at_the_reach():
    """The dense formula: envelope, trend, kernel; far away the prior mean and the variance of the kernel."""
    _, X = fitted("sparse gp regressor, trend")
    form = Enveloped()._portable()
    t = (X - form.centre) * form.factor
    e = np.exp(-(np.linalg.norm(t, axis=1, keepdims=True) ** 4) / 2.5**4)
    k = form.kernel(t * form.scales, form.vectors)
    g = np.hstack([np.ones((len(X), 1)), e, e * t, k])
    latent = form.latents[0]
    prior = e[:, 0] ** 2 * (0.4 + 0.2 * np.square(t).sum(axis=1)) + 3.0
    expected = prior - np.square(g @ latent.factor.T).sum(axis=1)
    mean, variance = form.latent(X)
    np.testing.assert_allclose(mean[:, 0], g @ latent.weights)
    np.testing.assert_allclose(variance[:, 0], np.maximum(expected, np.finfo(float).tiny))


@needs_compiler
def test_every_target_knows_the_reach(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    _, X = fitted("sparse gp regressor, trend")
    model, X = Enveloped(), X.astype(np.float32).astype(float)
    means, variances = model._portable().latent(X)
    expected = np.column_stack(model._portable().link.numbers(means, variances))
    by_row = np.column_stack(Predictor(model._portable()).predict(X[:60], return_std=True))
    np.testing.assert_allclose(by_row, expected[:60], rtol=1e-9)
    library = compiled(to_c(model), tmp_path)
    np.testing.assert_allclose(predicted(library, X, 2, function="model_predict"), expected, rtol=1e-9)
    session = onnxruntime.InferenceSession(
        to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = np.hstack(session.run(None, {"X": X.astype(np.float32)}))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


class Effects:
    """A regression of main effects and pairs of two numbers and a category, and a scaled kernel of all."""

    def _portable(self) -> Portable:
        rng = np.random.default_rng(5)
        columns = (
            ColumnMeasure(np.array([0]), rng.normal(size=(6, 1)), np.full(6, 1 / 6)),
            ColumnMeasure(np.array([1, 2]), rng.normal(size=(4, 2)), np.array([0.1, 0.2, 0.3, 0.4])),
            ColumnMeasure(np.array([3, 4, 5]), 0.5 * np.eye(3), np.array([0.5, 0.3, 0.2]), True),
        )
        widths = np.array([0.7, 1.2, 1.0])
        effects = Additive(columns, np.array([1.3, 0.8]), np.array([0.5, 0.9, 0.4]), widths)
        scaled = Scaled(Matern32(0.4), 0.6, np.array([0.8, 1.5, 0.3]), np.array([0, 1, 1, 2, 2, 2]))
        vectors = self.rows(8)
        factor = np.tril(rng.normal(size=(9, 9))) / 10
        latent = Latent(np.arange(8), rng.normal(size=9), factor, PriorVariance(1.0, 0.0, 9.0))
        ones, zeros, inputs = np.ones(6), np.zeros(6), Inputs.plain(6)
        link = Link("number", Gaussian(4.0))
        parts = (zeros, ones, effects + scaled, ones, vectors, np.empty(0, dtype=int), (latent,), link)
        return Portable("Effects", inputs, *parts)

    def rows(self, n):
        rng = np.random.default_rng(n)
        indicators = 0.5 * np.eye(3)[rng.integers(3, size=n)]
        return np.hstack([rng.normal(size=(n, 3)), indicators]).astype(np.float32).astype(float)


@needs_compiler
def test_main_effects_and_scaled_kernels_are_exported(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    model = Effects()
    X = model.rows(200)
    form = model._portable()
    expected = np.column_stack(form.link.numbers(*form.latent(X)))
    library = compiled(to_c(model), tmp_path)
    np.testing.assert_allclose(predicted(library, X, 2, function="model_predict"), expected, rtol=1e-9)
    session = onnxruntime.InferenceSession(
        to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = np.hstack(session.run(None, {"X": X.astype(np.float32)}))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("profile", ["laplacian", "rbf"])
@pytest.mark.parametrize("part", ["effects", "scaled", "both"])
def test_main_effects_and_scaled_kernels_are_compiled(profile, part):
    model = Effects()
    X, form = model.rows(50), model._portable()
    effects, scaled = replace(form.kernel.left, profile=profile), form.kernel.right
    kernel = {"effects": effects, "scaled": scaled, "both": scaled + effects * scaled + effects}[part]
    form = replace(form, kernel=kernel)
    fast = Predictor(form)
    assert fast.is_compiled
    for found, expected in zip(fast.latent(X), form.latent(X), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
