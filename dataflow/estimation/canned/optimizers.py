"""The optimizers that estimators take by name."""

from __future__ import annotations

import math
from typing import Any, Final

from dataflow.estimation.run_config import RunConfig
from dataflow.training.adagrad import AdagradOptimizer
from dataflow.training.adam import AdamOptimizer
from dataflow.training.ftrl import FtrlOptimizer
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


def get_optimizer_instance(opt: Any, learning_rate: float | None = None) -> Optimizer:
    """The optimizer of a name, the one that a function gives, or the one itself.

    Args:
      opt: A name, an optimizer, or a function without arguments.
      learning_rate: That of a name.

    Raises:
      ValueError: The name is unknown, a name has no rate, or it is another thing.
    """
    if isinstance(opt, str):
        if opt not in _BY_NAME:
            raise ValueError(
                f"Unsupported optimizer name: {opt}. Supported names are: {tuple(sorted(_BY_NAME))}"
            )
        if not learning_rate:
            raise ValueError("learning_rate must be specified when opt is string.")
        found: Optimizer = _BY_NAME[opt](learning_rate=learning_rate)
        return found
    if callable(opt):
        opt = opt()
    if not isinstance(opt, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {opt}")
    return opt


def linear_rate(most: float, columns: int) -> float:
    """The learning rate of the weights of as many columns."""
    return min(most, 1.0 / math.sqrt(columns))


def parted(config: RunConfig | None, least_bytes: int = 256 << 10) -> Any:
    """Cuts variables of a size and more into one part for each parameter server."""
    servers = config.num_ps_replicas if config else 0
    return min_max_variable_partitioner(max_partitions=servers, min_slice_size=least_bytes)
