"""Runs the program of `both.py` on the Keras that is inside TensorFlow, and prints the results.

Its engine for graphs needs a process without eager execution.
"""

from __future__ import annotations

import json
from types import SimpleNamespace

import tensorflow.compat.v1 as tensorflow
from tensorflow.python.keras import (
    backend,
    constraints,
    initializers,
    losses,
    metrics,
    models,
    regularizers,
)
from tensorflow.python.keras.engine import input_layer
from tensorflow.python.keras.layers import (
    advanced_activations,
    convolutional,
    convolutional_recurrent,
    core,
    dense_attention,
    embeddings,
    merge,
    pooling,
    recurrent,
    serialization,
)
from tensorflow.python.keras.optimizer_v2 import (
    adadelta,
    adagrad,
    adam,
    adamax,
    ftrl,
    gradient_descent,
    nadam,
    rmsprop,
)

from tests.keras.both import results

_LAYERS = (
    serialization,
    advanced_activations,
    convolutional,
    convolutional_recurrent,
    core,
    dense_attention,
    embeddings,
    merge,
    pooling,
    recurrent,
)
_OPTIMIZERS = (adadelta, adagrad, adam, adamax, ftrl, gradient_descent, nadam, rmsprop)


def _namespace(*modules: object) -> SimpleNamespace:
    names: dict[str, object] = {}
    for each in modules:
        names.update({k: v for k, v in vars(each).items() if not k.startswith("_")})
    return SimpleNamespace(**names)


if __name__ == "__main__":
    tensorflow.disable_v2_behavior()
    # It would take longer than all the rest (`tests/oracle.py`).
    tensorflow.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    optimizers = _namespace(*_OPTIMIZERS)
    keras = SimpleNamespace(
        Model=models.Model,
        Sequential=models.Sequential,
        backend=backend,
        constraints=constraints,
        initializers=initializers,
        layers=_namespace(*_LAYERS),
        losses=losses,
        metrics=metrics,
        models=models,
        optimizers=optimizers,
        regularizers=regularizers,
    )
    keras.layers.Input = input_layer.Input
    print(json.dumps(results(keras, tensorflow)))
