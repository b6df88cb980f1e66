"""Settings of the session, and the links of machines in notebooks."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

import pauca

MACHINES = [name for name in pauca.__all__ if name.endswith(("Classifier", "Regressor"))]


@pytest.fixture(autouse=True)
def _no_site(monkeypatch):
    monkeypatch.delenv("PAUCA_SITE", raising=False)
    yield
    pauca.set_config(site=None)


def machine_named(name):
    kind = getattr(pauca, name)
    needs_ensemble = "Pruned" in name
    return kind(RandomForestClassifier(n_estimators=3)) if needs_ensemble else kind()


@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_links_to_its_page(name):
    machine = machine_named(name)
    assert "api/pauca" not in estimator_html_repr(machine)
    with pauca.config_context(site="https://example.org/stable/"):
        assert f'href="https://example.org/stable/api/pauca.{name}.html"' in estimator_html_repr(machine)
    assert pauca.get_config() == {"site": None}


def test_links_inside_pipelines_and_of_fitted_machines():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = make_pipeline(StandardScaler(), pauca.RVMClassifier(gamma=1.0)).fit(X, X[:, 0] > 0)
    pauca.set_config(site="https://example.org")
    page = estimator_html_repr(model)
    assert "https://example.org/api/pauca.RVMClassifier.html" in page
    assert "Documentation for StandardScaler" in page


def test_classes_of_the_user_have_no_page():
    class Mine(pauca.RVMClassifier):
        pass

    with pauca.config_context(site="https://example.org"):
        assert "example.org" not in estimator_html_repr(Mine())


def test_the_site_may_be_a_folder_or_in_the_environment(tmp_path, monkeypatch):
    pauca.set_config(site=tmp_path)
    assert pauca.get_config()["site"] == tmp_path.as_uri()
    pauca.set_config(site=None)
    monkeypatch.setenv("PAUCA_SITE", "https://example.org/")
    assert pauca.get_config()["site"] == "https://example.org"
    with pytest.raises(ValueError, match="site must be an address"):
        pauca.set_config(site="no such folder")
