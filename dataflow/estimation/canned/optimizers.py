"""The optimizers that estimators take by name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from dataflow.estimation.model_spec import ModeKeys
from dataflow.estimation.run_config import RunConfig
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.library.public_modules import public_module
from dataflow.training.adagrad import AdagradOptimizer
from dataflow.training.adam import AdamOptimizer
from dataflow.training.ftrl import FtrlOptimizer
from dataflow.training.global_step import get_or_create_global_step
from dataflow.training.gradient_descent import GradientDescentOptimizer
from dataflow.training.optimizer import Optimizer
from dataflow.training.rmsprop import RMSPropOptimizer
from dataflow.variables.partitioned import min_max_variable_partitioner

_BY_NAME: Final[dict[str, Any]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}


def get_optimizer_instance_v2(opt: Any, learning_rate: float | None = None) -> Any:
    """The optimizer of tf.keras of a name, the one that a function gives, or the one itself.

    Args:
      opt: A name, an optimizer, or a function without arguments.
      learning_rate: That of a name; the optimizer's own if None.

    Raises:
      ValueError: The name is unknown, or it is another thing.
    """
    if isinstance(opt, str):
        if opt not in _BY_NAME:
            raise ValueError(
                f"Unsupported optimizer name: {opt}. Supported names are: {tuple(sorted(_BY_NAME))}"
            )
        given = {"learning_rate": learning_rate} if learning_rate else {}
        optimizers = public_module("keras.optimizers")
        return getattr(optimizers, {"RMSProp": "RMSprop"}.get(opt, opt))(**given)
    if callable(opt):
        opt = opt()
    if not hasattr(opt, "get_updates"):
        raise ValueError(
            f"The given object is not a tf.keras.optimizers.Optimizer instance. Given: {opt}"
        )
    return opt


@dataclass(frozen=True, slots=True)
class KerasTrained:
    """Says that an optimizer of tf.keras trains."""

    optimizer: Any
    """A name, an optimizer, or a function without arguments."""
    learning_rate: float | None = None
    """That of a name."""
    counts: bool = True
    """Whether its steps are the global step's."""

    def instance(self) -> Any:
        """The optimizer, for the graph that is being built."""
        found = get_optimizer_instance_v2(self.optimizer, self.learning_rate)
        if self.counts:
            found.iterations = get_or_create_global_step()
        return found


def get_optimizer_instance(opt: Any, learning_rate: float | None = None) -> Any:
    """The optimizer of a name, the one that a function gives, or the one itself.

    Args:
      opt: A name, an optimizer, a function without arguments, or `KerasTrained`.
      learning_rate: That of a name.

    Raises:
      ValueError: The name is unknown, a name has no rate, or it is another thing.
    """
    if isinstance(opt, KerasTrained):
        return opt.instance()
    if isinstance(opt, str):
        if opt not in _BY_NAME:
            raise ValueError(
                f"Unsupported optimizer name: {opt}. Supported names are: {tuple(sorted(_BY_NAME))}"
            )
        if not learning_rate:
            raise ValueError("learning_rate must be specified when opt is string.")
        return _BY_NAME[opt](learning_rate=learning_rate)
    if callable(opt):
        opt = opt()
    if not isinstance(opt, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {opt}")
    return opt


def trainer(mode: str, opt: Any, learning_rate: float) -> Any:
    """`get_optimizer_instance`; None of Keras where nothing is trained."""
    if isinstance(opt, KerasTrained) and mode != ModeKeys.TRAIN:
        return None
    return get_optimizer_instance(opt, learning_rate)


def trained_by(opt: Any, scope: str) -> dict[str, Any]:
    """What Keras' optimizers want to know of a model: its variables, and what else each step runs.

    Args:
      opt: What trains; of others than Keras' nothing is told.
      scope: Where the model's variables are.
    """
    if not isinstance(opt, KerasTrained):
        return {}
    return {
        "trainable_variables": scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=scope),
        "update_ops": scopes.get_collection(GraphKeys.UPDATE_OPS),
    }


def linear_rate(most: float, columns: int) -> float:
    """The learning rate of the weights of as many columns."""
    return min(most, 1.0 / math.sqrt(columns))


def parted(config: RunConfig | None, least_bytes: int = 256 << 10, optimizer: Any = None) -> Any:
    """Cuts variables of a size and more into one part for each parameter server.

    Variables that Keras trains stay whole: None.
    """
    if isinstance(optimizer, KerasTrained):
        return None
    servers = config.num_ps_replicas if config else 0
    return min_max_variable_partitioner(max_partitions=servers, min_slice_size=least_bytes)
