"""Model functions whose batches are cut over devices, and the optimizer that joins gradients."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import dataflow.ops.array.concat as array_concat
from dataflow.contrib.estimator.replica_specs import evaluation_spec, prediction_spec, training_spec
from dataflow.estimation.functions import argument_names
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.sparse_tensor import is_sparse
from dataflow.library.losses.weighted import Reduction
from dataflow.ops.array.split import split
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.division import truediv
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.sparse.parts import sparse_split
from dataflow.session.session import Session
from dataflow.training.optimizer import Optimizer
from dataflow.values import logging
from dataflow.values.devices import DeviceSpec
from dataflow.variables.scope import variable_scope

_VARIABLES: Final = ("Variable", "VariableV2", "VarHandleOp")


def replicate_model_fn(
    model_fn: Callable[..., Any],
    loss_reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    devices: Sequence[str] | None = None,
) -> Callable[..., Any]:
    """A model function that runs another one on several devices, on a part of the batch each.

    Variables are shared, and lie on the CPU, or on the only GPU.

    Args:
      model_fn: The model function, whose optimizers are in `TowerOptimizer`s.
      loss_reduction: How its loss is made of those of examples: SUM, or any mean.
      devices: Their names; all GPUs that are here, or else CPUs, if None.

    Raises:
      ValueError: The losses are not reduced; when it is called, if the batch cannot be cut, or an
        optimizer is in none.
    """
    if loss_reduction == Reduction.NONE:
        raise ValueError(
            "Tower losses need to be reduced in some way, yet none reduction is specified."
        )
    names = list(devices or _local_devices("GPU") or _local_devices("CPU"))
    lonely_gpu = len(names) == 1 and "GPU" in names[0].upper()
    home = names[0] if lonely_gpu else "/CPU:0"
    logging.info(
        "Replicating the `model_fn` across %s.  Variables are going to be placed on %s.  "
        "Consolidation device is going to be %s.",
        names,
        [home],
        home,
    )

    def specs_of(features: Any, labels: Any, mode: Any, params: Any, config: Any) -> Any:
        given = {"params": params, "config": config}
        wanted = argument_names(model_fn)
        more = {name: copy.deepcopy(each) for name, each in given.items() if name in wanted}

        def one(features: Any, labels: Any) -> Any:
            return model_fn(features=features, labels=labels, mode=mode, **more)

        return _towers(one, features, labels, names, home, loss_reduction)

    def single_device_model_fn(
        features: Any, labels: Any, mode: Any, params: Any = None, config: Any = None
    ) -> Any:
        return specs_of([features], [labels], mode, params, config)[0]

    def replicated_model_fn(
        features: Any, labels: Any, mode: Any, params: Any = None, config: Any = None
    ) -> Any:
        with scopes.name_scope("split_inputs"), scopes.device(home):
            parts = [_parts(each, len(names)) for each in (features, labels)]
        specs = specs_of(parts[0], parts[1], mode, params, config)
        if mode == ModeKeys.TRAIN:
            return training_spec(specs, home)
        if mode == ModeKeys.EVAL:
            return evaluation_spec(specs, home)
        return prediction_spec(specs, home)

    return single_device_model_fn if len(names) == 1 else replicated_model_fn


def _local_devices(kind: str) -> list[str]:
    with Session(graph=Graph()) as session:
        return [
            each.name.replace("/job:localhost/replica:0/task:0", "")
            for each in session.list_devices()
            if each.device_type == kind
        ]


def _parts(batch: Any, count: int) -> list[Any]:
    """A batch, or a dictionary of batches, in parts; None is in no parts."""
    if batch is None:
        return [None] * count
    if isinstance(batch, dict):
        each = {name: _parts(value, count) for name, value in batch.items()}
        return [{name: parts[at] for name, parts in each.items()} for at in range(count)]
    if is_sparse(batch):
        return list(sparse_split(sp_input=batch, num_split=count, axis=0))
    tensor: Any = convert_to_tensor(batch)
    size = tensor.shape[0].value
    if size is None or size % count:
        raise ValueError(
            f"Batch size {size} needs to be divisible by the number of GPUs, which is {count}."
        )
    return list(split(tensor, count))


class _Towers:
    """What the optimizers of a graph's towers know of each other."""

    def __init__(self) -> None:
        self.count = 1
        self.reduction: Any = None
        self.current = 0
        self.first_scopes: tuple[Any, Any] = ("", "")
        self.has_optimizer = False
        self.gradients: dict[int, list[Any]] = {}

    @contextlib.contextmanager
    def tower(self, number: int, var_scope: Any, name_scope: Any) -> Iterator[None]:
        """Within is the tower of a number."""
        if number == 0:
            self.first_scopes = var_scope, name_scope
        self.current = number
        yield

    def scaled(self, loss: Any) -> Any:
        """A tower's share of the loss."""
        if loss is None or self.count == 1 or self.reduction == Reduction.SUM:
            return loss
        return truediv(loss, 1.0 * self.count, name="averaged_loss")


def _towers(
    model_fn: Callable[[Any, Any], Any],
    features: Sequence[Any],
    labels: Sequence[Any],
    devices: Sequence[str],
    home: str,
    reduction: str,
) -> list[EstimatorSpec]:
    """What the model function gives on each device."""
    towers = TowerOptimizer._state()
    towers.count, towers.reduction = len(devices), reduction
    specs = []
    for number, device in enumerate(devices):
        name = f"tower_{number}" if number else ""
        with (
            variable_scope("", reuse=bool(number)) as var_scope,
            scopes.name_scope(name) as name_scope,
            towers.tower(number, var_scope, name_scope),
            scopes.device(_device_of(device, home)),
        ):
            spec = model_fn(features[number], labels[number])
            if spec.train_op is not None and towers.count > 1 and not towers.has_optimizer:
                raise ValueError(
                    "Please wrap optimizers with TowerOptimizer in order to use "
                    "replicate_model_fn with multiple `devices`."
                )
            if spec.loss is not None:
                spec = spec._replace(loss=towers.scaled(spec.loss))
            specs.append(spec)
    if sum(map(len, towers.gradients.values())) % towers.count:
        raise ValueError(
            "Each invocation of model_fn was supposed to make the same optimizer calls."
        )
    scopes.get_default_graph().clear_collection(TowerOptimizer.COLLECTION_FOR_GRAPH_STATES)
    return specs


def _device_of(device: str, home: str) -> Callable[[Any], str]:
    def choose(op: Any) -> str:
        chosen = DeviceSpec.from_string(home if op.type in _VARIABLES else device)
        return chosen.make_merged_spec(DeviceSpec.from_string(op.device or "")).to_string()

    return choose


class TowerOptimizer(Optimizer):
    """Applies the sum of the gradients of all of a model's replicas, by another optimizer."""

    COLLECTION_FOR_GRAPH_STATES = "replicate_model_fn_graph_states"

    def __init__(self, optimizer_or_optimizer_fn: Any) -> None:
        """Takes the optimizer, or what makes it."""
        self._made_by = optimizer_or_optimizer_fn

    @staticmethod
    def _state() -> _Towers:
        kept = scopes.get_default_graph().get_collection_ref(
            TowerOptimizer.COLLECTION_FOR_GRAPH_STATES
        )
        if not kept:
            kept.append(_Towers())
        return kept[-1]  # type: ignore[no-any-return]

    @staticmethod
    def has_been_used() -> bool:
        """Whether one has been asked for something in this graph."""
        return TowerOptimizer._state().has_optimizer

    def _optimizer(self) -> Any:
        if not isinstance(self._made_by, Optimizer) and callable(self._made_by):
            self._made_by = self._made_by()
        self._state().has_optimizer = True
        return self._made_by

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._optimizer().get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._optimizer().get_slot_names(*args, **kwargs)

    def get_name(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._optimizer().get_name(*args, **kwargs)

    def variables(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._optimizer().variables(*args, **kwargs)

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`; those of the replica's share of the loss."""
        return self._optimizer().compute_gradients(self._state().scaled(loss), *args, **kwargs)

    def apply_gradients(  # type: ignore[override]
        self, grads_and_vars: Any, global_step: Any = None, **kwargs: Any
    ) -> Any:
        """See `Optimizer`; the last replica applies those of all, the others wait for theirs."""
        towers = self._state()
        if towers.count == 1:
            return self._optimizer().apply_gradients(grads_and_vars, global_step, **kwargs)
        pairs = list(grads_and_vars)
        calls = towers.gradients.setdefault(towers.current, [])
        calls.append(pairs)
        if towers.current < towers.count - 1:
            made = [
                each.values if isinstance(each, IndexedSlices) else each
                for each, _ in pairs
                if each is not None
            ]
            with scopes.control_dependencies(made):
                return no_op(name="train_op_placeholder")
        var_scope, name_scope = towers.first_scopes
        with variable_scope(var_scope), scopes.name_scope(name_scope):
            return self._apply_all(len(calls) - 1, global_step, **kwargs)

    def _apply_all(self, call: int, global_step: Any, **kwargs: Any) -> Any:
        """Applies what all replicas have given in a call of a number."""
        given: dict[Any, list[Any]] = {}
        order: list[Any] = []
        for calls in self._state().gradients.values():
            for gradient, variable in calls[call]:
                if gradient is None:
                    continue
                if id(variable) not in given:
                    order.append(variable)
                given.setdefault(id(variable), []).append(gradient)
        with scopes.name_scope("gradient_aggregating"):
            sums = [(_sum(given[id(each)], each.device), each) for each in order]
        return self._optimizer().apply_gradients(sums, global_step=global_step, **kwargs)


def _sum(gradients: list[Any], device: str) -> Any:
    with scopes.device(device):
        if not isinstance(gradients[0], IndexedSlices):
            return add_n(gradients)
        return IndexedSlices(
            array_concat.concat([each.values for each in gradients], axis=0),
            array_concat.concat([each.indices for each in gradients], axis=0),
            gradients[0].dense_shape,
        )
