"""Fitters: how each kind of machine is fitted at one value of its hyperparameter."""

from .ard import ARDFitter
from .confusion import ConfusedRows, best_amplitude, confusion_prior, fit_confused
from .em import EMSettings
from .em_fitter import EMFitter
from .evidence_search import EvidenceSearch, select_columns
from .gamma_posterior import GammaPosterior, gamma_posterior
from .label_noise import LabelNoiseFitter, choose_noise_kernel
from .noise_rows import ActiveRows, AllRows
from .spike_slab import SpikeSlabFitter, choose_noise

__all__ = [
    "ARDFitter",
    "ActiveRows",
    "AllRows",
    "ConfusedRows",
    "EMFitter",
    "EMSettings",
    "EvidenceSearch",
    "GammaPosterior",
    "LabelNoiseFitter",
    "SpikeSlabFitter",
    "best_amplitude",
    "choose_noise",
    "choose_noise_kernel",
    "confusion_prior",
    "fit_confused",
    "gamma_posterior",
    "select_columns",
]
