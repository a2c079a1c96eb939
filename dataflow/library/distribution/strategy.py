"""Strategies of one replica: what a program asks of a strategy, done where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dataflow.graph.scopes import colocate_with, device
from dataflow.library.distribution.context import (
    ReduceOp,
    get_strategy,
    run_replica,
    strategy_scope,
)
from dataflow.ops.basic.grouping import group
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.values import nest


class StrategyExtended:
    """What libraries ask of a strategy.

    Args:
      container_strategy: The strategy.
    """

    experimental_between_graph = False
    experimental_require_static_shapes = False
    experimental_should_init = True
    should_checkpoint = True
    should_save_summary = True

    _device: Any = ""
    """Where the replica's code runs and its variables are: a name, a device function, or "" for
    anywhere."""
    _worker_devices: tuple[str, ...] | None = None
    _parameter_devices: tuple[str, ...] | None = None
    """What a device function tells from the other; None for where all is."""

    def __init__(self, container_strategy: Strategy) -> None:
        self._container_strategy = container_strategy

    def _placed(self) -> AbstractContextManager[None]:
        """Puts operations where they belong; a function is asked by the innermost scope only."""
        is_asked = callable(self._device) and get_strategy() is self._container_strategy
        if is_asked or not self._device:
            return nullcontext()
        return device(self._device)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The device of the replica."""
        return self._worker_devices or (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices of variables."""
        return self._parameter_devices or (self._device,)

    def call_for_each_replica(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Calls a function as the replica's code."""
        with self._placed():
            return run_replica(self._container_strategy, lambda: fn(*args, **(kwargs or {})))

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The value, of which there is one."""
        return value

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """The values, of each of which there is one."""
        return [value for value, _ in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """The tensor."""
        return tensor

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function of a variable, beside the variable."""
        with colocate_with(var):
            return fn(var, *args, **(kwargs or {}))

    def update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function that updates variables which belong to no other one."""
        return fn(*args, **(kwargs or {}))

    def read_var(self, v: Any) -> Any:
        """The value of a variable."""
        return v.read_value()

    def value_container(self, value: Any) -> Any:
        """What holds a value: itself."""
        return value

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable is of this strategy; all are."""
        return True

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[None]:
        """Makes variables beside another one."""
        return colocate_with(colocate_with_variable)

    def non_slot_devices(self, var_list: Sequence[Any]) -> Any:
        """Where an optimizer's other variables go: to the first variable's name, in order."""
        return min(var_list, key=lambda variable: variable.name)


class Strategy:
    """Where a model's variables are and where it runs; of this class itself there is one replica.

    Args:
      extended: A `StrategyExtended`.
    """

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended

    @property
    def extended(self) -> StrategyExtended:
        """What libraries ask of it."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """1."""
        return 1

    @property
    def cluster_resolver(self) -> Any:
        """None: it is of one process."""
        return None

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Has the strategy hold inside."""
        with self._extended._placed(), strategy_scope(self):
            yield self

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Calls a function as each replica's code: once."""
        return self._extended.call_for_each_replica(fn, args, kwargs)

    experimental_run_v2 = run

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls a function of the iterator's next element as each replica's code: once."""
        return self.run(fn, () if input_iterator is None else (input_iterator.get_next(),))

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """The sums or means of a value over replicas, and over an axis if one is given.

        Raises:
          ValueError: `reduce_op` is neither.
        """
        how = ReduceOp(reduce_op.upper() if isinstance(reduce_op, str) else reduce_op)
        if axis is None:
            return value
        reduced = reduce_sum if how is ReduceOp.SUM else reduce_mean
        return nest.map_structure(lambda each: reduced(each, axis), value)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset, which one replica has for its own."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """The dataset that a function of an `InputContext` gives."""
        return dataset_fn(self._input_context())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def _input_context(self) -> InputContext:
        return InputContext()

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """An iterator over a dataset, which must be initialised."""
        return dataset.make_initializable_iterator()

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The value of each replica."""
        return (value,)

    unwrap = experimental_local_results

    def group(self, value: Any, name: str | None = None) -> Any:
        """An operation that is done when a value is there."""
        return group(value, name=name)

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[None]:
        """Makes variables beside another one."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def update_config_proto(self, config_proto: Any) -> Any:
        """The configuration of sessions, as it is."""
        return config_proto

    def configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: Any = None,
        task_id: Any = None,
    ) -> None:
        """Nothing: a strategy of one process has nothing to set."""


class DefaultStrategy(Strategy):
    """Holds where no other one does."""

    def __init__(self) -> None:
        super().__init__(StrategyExtended(self))


class OneDeviceStrategy(Strategy):
    """Puts variables on one device, and runs everything there.

    Args:
      device: The device.
    """

    def __init__(self, device: Any) -> None:
        super().__init__(StrategyExtended(self))
        self._extended._device = device


class MirroredStrategy(Strategy):
    """A copy of the model on each of some devices; here there can be one device.

    Args:
      devices: The device, or a list of it; None for any.
      cross_device_ops: How the replicas' values are reduced: one replica's are as they are.

    Raises:
      NotImplementedError: There are several devices.
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        given = [devices] if isinstance(devices, str) else list(devices or [])
        if len(given) > 1:
            raise NotImplementedError(
                f"A MirroredStrategy here has one replica; {given} are several devices. "
                "Use tf.train.replica_device_setter and a cluster, or split the batch by hand."
            )
        super().__init__(StrategyExtended(self))
        self._extended._device = given[0] if given else ""


class InputReplicationMode(Enum):
    """How often a function that makes the input is called."""

    PER_WORKER = "PER_WORKER"


@dataclass(frozen=True)
class InputContext:
    """Which part of the input a function is to give."""

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's part of a batch.

        Raises:
          ValueError: The batch cannot be divided.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync!r}."
            )
        return global_batch_size // self.num_replicas_in_sync
