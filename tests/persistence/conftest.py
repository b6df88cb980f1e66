"""Small fitted models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pauca import RVMClassifier, RVMRegressor
from pauca.datasets import make_ripley, make_sinc


@pytest.fixture(scope="session")
def classifier():
    return RVMClassifier(gamma=2.0).fit(*make_ripley(80, random_state=0))


@pytest.fixture(scope="session")
def regressor():
    return RVMRegressor(gamma=0.2).fit(*make_sinc(60, random_state=0))


@pytest.fixture(scope="session")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=90), "colour": rng.choice(["rot", "grün", "blau"], 90)})
    frame["colour"] = frame["colour"].astype(object)
    frame.loc[[3, 8], "size"] = np.nan
    frame.loc[[5], "colour"] = np.nan
    return frame


@pytest.fixture(scope="session")
def pipeline(table):
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3, sparse_output=False)
    categories = make_pipeline(SimpleImputer(strategy="most_frequent"), encoder)
    columns = ColumnTransformer([("numbers", numbers, ["size"]), ("categories", categories, ["colour"])])
    y = np.where((table["size"].fillna(0) > 0) ^ (table["colour"] == "rot"), "ja", "nein")
    return make_pipeline(columns, RVMClassifier(gamma=0.5)).fit(table, y)
