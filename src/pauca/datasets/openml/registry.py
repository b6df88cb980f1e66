"""Registry of the datasets that can be downloaded: OpenML's ids, and the encoding of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Source:
    """Dataset on OpenML and the encoding of its columns.

    Attributes
    ----------
    data_id : int
        Number of the dataset on OpenML.
    openml_name : str
        Name on OpenML, checked against the description, so that a wrong id cannot pass for the right data.
    task : {"binary", "multiclass", "regression"}
        Kind of target.
    positive : str, optional
        Class labelled +1; by default the last one in sorted order.
    at_most : float, optional
        Threshold that makes two classes of a numeric target: +1 where it is at most this value.
    codes : mapping of str to float
        Numbers for nominal values; without them nominal columns are one-hot encoded.
    dropped : tuple of str
        Columns that are left out.
    """

    data_id: int
    openml_name: str
    task: str
    positive: str | None = None
    at_most: float | None = None
    codes: Mapping[str, float] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()


# Numbers for nominal values: sex (I: infant), squares of a board (b: blank), votes (?: no position).
_SEX = {"M": 1.0, "F": -1.0, "I": 0.0}
_SQUARES = {"x": 1.0, "o": -1.0, "b": 0.0}
_VOTES = {"y": 1.0, "n": -1.0, "?": 0.0}

#: Datasets on OpenML, by our names.
REGISTRY: dict[str, Source] = {
    # binary
    "abalone": Source(183, "abalone", "binary", at_most=9, codes=_SEX),
    "adult": Source(1590, "adult", "binary"),
    "australian": Source(40981, "Australian", "binary"),
    "banana": Source(1460, "banana", "binary"),
    "breast-wisconsin": Source(15, "breast-w", "binary"),
    "diabetis": Source(37, "diabetes", "binary"),
    "german": Source(31, "credit-g", "binary", positive="bad"),
    "heart": Source(53, "heart-statlog", "binary"),
    "ionosphere": Source(59, "ionosphere", "binary"),
    "mushroom": Source(24, "mushroom", "binary"),
    "ringnorm": Source(1496, "ringnorm", "binary"),
    "sonar": Source(40, "sonar", "binary", positive="Mine"),
    "spam": Source(44, "spambase", "binary"),
    "tic-tac-toe": Source(50, "tic-tac-toe", "binary", codes=_SQUARES),
    "titanic": Source(40704, "Titanic", "binary"),
    "twonorm": Source(1507, "twonorm", "binary"),
    "votes": Source(56, "vote", "binary", positive="democrat", codes=_VOTES),
    "wdbc": Source(1510, "wdbc", "binary"),
    # multiclass
    "balance": Source(11, "balance-scale", "multiclass"),
    "glass": Source(41, "glass", "multiclass"),
    "iris": Source(61, "iris", "multiclass"),
    "letter": Source(6, "letter", "multiclass"),
    "optdigits": Source(28, "optdigits", "multiclass"),
    "pendigits": Source(32, "pendigits", "multiclass"),
    "satellite": Source(182, "satimage", "multiclass"),
    "segment": Source(36, "segment", "multiclass"),
    "vehicle": Source(54, "vehicle", "multiclass"),
    "vowel": Source(307, "vowel", "multiclass", dropped=("Train_or_Test", "Speaker_Number", "Sex")),
    "wine": Source(187, "wine", "multiclass"),
    "yeast": Source(181, "yeast", "multiclass"),
    # regression
    "autoprice": Source(207, "autoPrice", "regression"),
    "bodyfat": Source(560, "bodyfat", "regression"),
    "boston": Source(531, "boston", "regression"),
    "pollution": Source(542, "pollution", "regression"),
    "sensory": Source(546, "sensory", "regression"),
    "wisconsin": Source(191, "wisconsin", "regression"),
}
