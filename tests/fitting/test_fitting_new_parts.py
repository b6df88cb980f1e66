"""A new kernel, likelihood and prior are one file each: the examples of the documentation, run and fitted."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "development.md"
PREAMBLE = """
from dataclasses import dataclass, replace
from typing import ClassVar
import numpy as np
from scipy.optimize import approx_fprime
from pauca import EPCVMClassifier, RVMClassifier, SparseGPClassifier
from pauca.basis import Isotropic, register_kernel
from pauca.datasets import make_ripley
from pauca.fitting import FitProblem, Limits, Recipe
from pauca.fitting.fitters import ARDFitter, select_columns
from pauca.inference import ep, laplace
from pauca.likelihoods import BinaryLikelihood, Logit, Probit
from pauca.priors import Prior

X, y = make_ripley(200, random_state=0)
X_test, y_test = make_ripley(1000, random_state=1)
"""
CHECKS = {
    "Cauchy": """
for Machine in (SparseGPClassifier, RVMClassifier, EPCVMClassifier):
    machine = Machine(kernel="cauchy").fit(X, y)
    assert len(machine.trials_) > 1, "gamma is searched"
    assert machine.score(X_test, y_test) > 0.87, machine.score(X_test, y_test)
kernel = Cauchy(gamma=0.7)
A, B, weights = X[:5], X[5:9], np.random.default_rng(0).normal(size=(5, 4))
objective = lambda logs: (weights * kernel(A * np.exp(logs / 2), B * np.exp(logs / 2))).sum()
np.testing.assert_allclose(
    kernel.scale_gradient(A, B, weights), approx_fprime(np.zeros(2), objective, 1e-6), atol=1e-5
)
""",
    "CauchyLink": """
class CauchyRVM(RVMClassifier):
    def _recipe(self):
        return replace(super()._recipe(), likelihood=CauchyLink())

for inference in ("laplace", "ep"):
    machine = CauchyRVM(inference=inference, feature_scales=None).fit(X, y)
    assert machine.score(X_test, y_test) > 0.87, machine.score(X_test, y_test)
    p = machine.predict_proba(X_test)[:, 1]
    assert 0.02 < p.min() < p.max() < 0.98, "heavy tails are never certain"
f = np.linspace(-3, 3, 13)
for label in (-1.0, 1.0):
    first, second = CauchyLink().derivatives(label, f)
    step = 1e-5
    up, down = (CauchyLink().log_prob(label, f + h) for h in (step, -step))
    np.testing.assert_allclose(first, (up - down) / (2 * step), rtol=1e-6)
    up, down = (CauchyLink().derivatives(label, f + h)[0] for h in (step, -step))
    np.testing.assert_allclose(second, -(up - down) / (2 * step), rtol=1e-5, atol=1e-8)
""",
    "LogCosh": """
class LogCoshRVM(RVMClassifier):
    def _recipe(self):
        return Recipe(Logit(), laplace, LogCosh)

machine = LogCoshRVM(gamma=2.0).fit(X, y)
assert machine.score(X_test, y_test) > 0.87, machine.score(X_test, y_test)
prior, w, step = LogCosh(np.array([1.0, 0.5])), np.array([0.3, -1.2]), 1e-5
_, gradient, curvature = prior.expand(w)
np.testing.assert_allclose(gradient, approx_fprime(w, prior.log_density, step), rtol=1e-4)
for j in range(2):
    up, down = (prior.derivatives(w + h * np.eye(2)[j])[0] for h in (step, -step))
    np.testing.assert_allclose(curvature[j], -(up - down)[j] / (2 * step), rtol=1e-6)
""",
}


def example(name):
    """The code block of the documentation that defines a class."""
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    (found,) = [block for block in blocks if f"class {name}(" in block]
    return found


@pytest.mark.parametrize("name", CHECKS)
def test_a_new_part_is_one_file(name):
    # In a process of its own, so that no other test sees the new class.
    script = PREAMBLE + textwrap.dedent(example(name)) + CHECKS[name]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
