"""Every public estimator, made with any arguments: what all of them promise is tested on all of them."""

from functools import partial

from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

import pauca
from pauca import machines

MACHINES = tuple(getattr(machines, name) for name in machines.__all__ if name.endswith(("ifier", "essor")))
# Estimators around an ensemble, with the ensemble.
_AROUND = (
    (pauca.InstancePrunedClassifier, RandomForestClassifier(7, random_state=0)),
    (pauca.InstancePrunedRegressor, ExtraTreesRegressor(7, bootstrap=True, random_state=0)),
    (pauca.InstancePrunedBoostingClassifier, GradientBoostingClassifier(n_estimators=6, random_state=0)),
    (pauca.InstancePrunedBoostingRegressor, GradientBoostingRegressor(n_estimators=6, random_state=0)),
    (pauca.InstancePrunedWeightedClassifier, AdaBoostClassifier(n_estimators=6, random_state=0)),
    (pauca.PrunedBoostingClassifier, GradientBoostingClassifier(n_estimators=6, random_state=0)),
    (pauca.PrunedBoostingRegressor, GradientBoostingRegressor(n_estimators=6, random_state=0)),
    (pauca.PrunedEnsembleClassifier, BaggingClassifier(None, 5, random_state=0)),
    (pauca.PrunedEnsembleRegressor, RandomForestRegressor(7, random_state=0)),
)
ENSEMBLES = (
    *(partial(kind, ensemble=ensemble) for kind, ensemble in _AROUND),
    partial(pauca.AdaptiveForestClassifier, confidence=0.9, max_trees=60, random_state=0),
    partial(pauca.AdaptiveForestRegressor, confidence=0.9, max_trees=60, random_state=0),
)
# Constructors of all of them, which take any arguments by name.
CONSTRUCTORS = (*MACHINES, *ENSEMBLES)
