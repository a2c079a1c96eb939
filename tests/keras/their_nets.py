"""Makes nets of Keras 3's applications, and writes their layers, weights and predictions.

python -m tests.keras.their_nets FILE NAME ...
"""

from __future__ import annotations

import sys

import numpy as np

SIZES = {"InceptionV3": 75, "InceptionResNetV2": 75, "Xception": 71}
"""Height and width of images; 32 of other nets."""


def images(name: str) -> np.ndarray:
    """What a net is asked about."""
    size = SIZES.get(name, 32)
    return np.random.RandomState(2).rand(2, size, size, 3).astype(np.float32)


if __name__ == "__main__":
    import keras

    found: dict[str, np.ndarray] = {}
    for name in sys.argv[2:]:
        keras.backend.clear_session()
        net = getattr(keras.applications, name)
        model = net(weights=None, input_shape=images(name).shape[1:], classes=7)
        random = np.random.RandomState(1)
        shapes = [each.shape for each in model.weights]
        # Around 1 for scales and variances, small enough for sums of many.
        weights = [
            random.rand(*s) + 0.5 if len(s) == 1 else random.randn(*s) / np.prod(s[:-1]) ** 0.5
            for s in shapes
        ]
        model.set_weights(weights)
        found[f"{name}/layers"] = np.array([each.name for each in model.layers])
        found[f"{name}/parameters"] = np.array(model.count_params())
        found[f"{name}/output"] = model.predict(images(name), verbose=0)
        for place, each in enumerate(model.get_weights()):
            found[f"{name}/weights/{place}"] = each
    np.savez(sys.argv[1], **found)
