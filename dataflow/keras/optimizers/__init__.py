"""tf.keras.optimizers: what trains models."""

from __future__ import annotations

from typing import Any

from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object
from dataflow.keras.optimizers import schedules as schedules
from dataflow.keras.optimizers.base import Optimizer as Optimizer
from dataflow.keras.optimizers.rules import SGD as SGD
from dataflow.keras.optimizers.rules import Adadelta as Adadelta
from dataflow.keras.optimizers.rules import Adagrad as Adagrad
from dataflow.keras.optimizers.rules import Adam as Adam
from dataflow.keras.optimizers.rules import Adamax as Adamax
from dataflow.keras.optimizers.rules import Ftrl as Ftrl
from dataflow.keras.optimizers.rules import Nadam as Nadam
from dataflow.keras.optimizers.rules import RMSprop as RMSprop
from dataflow.keras.optimizers.rules import TFOptimizer as TFOptimizer
from dataflow.training.optimizer import Optimizer as _TrainOptimizer

OptimizerV2 = Optimizer
RMSProp = RMSprop
_NAMED = {
    cls.__name__.lower(): cls
    for cls in (Adadelta, Adagrad, Adam, Adamax, Ftrl, Nadam, RMSprop, SGD)
}


def serialize(optimizer: Any) -> Any:
    """The class and arguments of an optimizer."""
    return serialize_keras_object(optimizer)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The optimizer of these; the name of the class counts in small letters, too."""
    if config["class_name"].lower() in _NAMED:
        config = {**config, "class_name": config["class_name"].lower()}
    return deserialize_keras_object(config, _NAMED, custom_objects, "optimizer")


def get(identifier: Any) -> Any:
    """An optimizer as it is, or of its name or configuration; one of tf.train in a `TFOptimizer`.

    Raises:
      ValueError: It is none of these.
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, _TrainOptimizer):
        return TFOptimizer(identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    if hasattr(identifier, "get_updates"):
        return identifier
    raise ValueError("Could not interpret optimizer identifier:", identifier)
