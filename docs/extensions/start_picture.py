"""Draw the picture of the start page and of the README: ``python docs/extensions/start_picture.py``."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image, load_wine

from pauca import SparseGPClassifier, SparseGPRegressor
from pauca.plotting import FitDisplay, SurfaceDisplay

FILE = Path(__file__).resolve().parents[1] / "_static" / "start.png"


def main():
    """Three kinds of wine over two measurements, and the brightness of a photograph with a gap."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.9), layout="constrained")
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X[["flavanoids", "color_intensity"]].rename(columns={"color_intensity": "colour intensity"})
    machine = SparseGPClassifier().fit(X, y)
    SurfaceDisplay.from_estimator(machine, X, y, ax=left)
    left.set_title(f"Wine: {len(machine.relevance_)} of {len(X)} rows are kept")
    brightness = load_sample_image("china.jpg").mean(axis=(1, 2)) / 255
    height = np.arange(len(brightness), dtype=float)
    seen = ((height < 170) | (height > 260)) & (height % 3 == 0)
    X, y = height[seen, None] / 100, brightness[seen]
    FitDisplay.from_estimator(SparseGPRegressor().fit(X, y), X, y, ax=right)
    right.set(xlabel="height in 100 pixels", ylabel="brightness")
    right.set_title("A photograph with a gap: error bars widen there")
    figure.savefig(FILE, dpi=110)


if __name__ == "__main__":
    main()
