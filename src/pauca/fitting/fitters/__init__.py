"""Fitters: how each kind of machine is fitted at one value of its hyperparameter."""

from .ard import ARDFitter
from .em import EMSettings
from .em_fitter import EMFitter
from .evidence_search import EvidenceSearch, select_columns
from .label_noise import LabelNoiseFitter, choose_noise_kernel
from .noise_rows import ActiveRows, AllRows
from .spike_slab import SpikeSlabFitter, choose_noise

__all__ = [
    "ARDFitter",
    "ActiveRows",
    "AllRows",
    "EMFitter",
    "EMSettings",
    "EvidenceSearch",
    "LabelNoiseFitter",
    "SpikeSlabFitter",
    "choose_noise",
    "choose_noise_kernel",
    "select_columns",
]
