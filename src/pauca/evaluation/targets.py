"""Measured values and the bounds that they must keep."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A measured value (None: there is none) and the bound that it must keep."""

    name: str
    value: float | None
    bound: float
    at_least: bool

    @property
    def verdict(self):
        """PASS or MISS, or that there is no measurement."""
        if self.value is None:
            return "not measured"
        kept = self.value >= self.bound if self.at_least else self.value <= self.bound
        return "PASS" if kept else "MISS"

    def row(self):
        """The target as a row of a table."""
        sign = "≥" if self.at_least else "≤"
        return {
            "target": self.name,
            "measured": self.value,
            "wanted": f"{sign} {self.bound:g}",
            "verdict": self.verdict,
        }
