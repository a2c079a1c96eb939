"""The variables that `get_variable` has made in a graph, by name; it makes or finds them."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import dataflow.ops.array.slice as array_slice
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_request import VariableRequest
from dataflow.graph.variable_scope_object import kept_by_graph
from dataflow.values import dtypes
from dataflow.values.partition_info import PartitionInfo
from dataflow.values.shapes import TensorShape, as_shape
from dataflow.values.variable_policy import settle_policy
from dataflow.variables.initializers import Zeros
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.regularizers import RegularizationLoss
from dataflow.variables.resource_variable_base import BaseResourceVariable
from dataflow.variables.scaled_initializers import GlorotUniform
from dataflow.variables.slices import SaveSliceInfo
from dataflow.variables.variable import Variable, resource_variables_enabled

STORE_KEY: Final = ("__variable_store",)
"""The collection that holds the store of a graph."""


class VariableStore:
    """Variables and partitioned variables by full name."""

    def __init__(self) -> None:
        self._vars: dict[str, Any] = {}
        self._partitioned_vars: dict[str, PartitionedVariable] = {}

    def find_variable(self, request: VariableRequest, custom_getter: Any = None) -> Any:
        """Finds or makes a variable; see `tf.get_variable`. The request's name is the full name."""
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        synchronization, aggregation, trainable = settle_policy(
            request.synchronization, request.aggregation, request.trainable, request.name
        )
        request = replace(
            request,
            dtype=getattr(request.dtype, "base_dtype", request.dtype),
            trainable=trainable,
            synchronization=synchronization,
            aggregation=aggregation,
        )
        if custom_getter is None:
            return self._find(request)
        arguments = request.arguments()
        if not _takes(custom_getter, "constraint"):
            del arguments["constraint"]
        return custom_getter(getter=self._getter, **arguments)

    def get_variable(self, name: str, *args: Any, custom_getter: Any = None, **kwargs: Any) -> Any:
        """`tf.get_variable` by full name, as TensorFlow's store has it."""
        return self.find_variable(VariableRequest(name, *args, **kwargs), custom_getter)

    def _getter(self, *args: Any, **kwargs: Any) -> Any:
        """What custom getters are given to make a variable with."""
        return self._find(VariableRequest(*args, **kwargs))

    def _find(self, request: VariableRequest) -> Any:
        name, shape, partitioner = request.name, request.shape, request.partitioner
        is_scalar = shape is not None and isinstance(shape, Sequence) and not shape
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
            with scopes.name_scope(None):
                return self.find_partitioned(request)
        if request.reuse is True and partitioner is None and name in self._partitioned_vars:
            return self.find_partitioned(request)
        if f"{name}/part_0" in self._vars:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with "
                "partitioning?"
            )
        return self._find_single(request, None)

    def _find_single(self, request: VariableRequest, partition_info: PartitionInfo | None) -> Any:
        """Finds or makes a variable that is in one piece."""
        name, initializer = request.name, request.initializer
        from_value = initializer is not None and not callable(initializer)
        if request.shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = dtypes.as_dtype(request.dtype)
        shape = None if request.shape is None else as_shape(request.shape)
        if name in self._vars:
            return self._found(name, shape, dtype, request.reuse)
        if request.reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). "
                "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            if shape is None:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be "
                    "specified."
                )
            initializer = default_initializer(name, dtype)
        with scopes.init_scope():
            if from_value:
                initial_value, variable_dtype = initializer, None
            else:
                initial_value, variable_dtype = _bound_initializer(
                    initializer, shape, dtype, partition_info
                )
        use_resource = request.use_resource
        variable: Any = Variable(
            initial_value=initial_value,
            name=name,
            dtype=variable_dtype,
            shape=shape,
            trainable=request.trainable,
            collections=request.collections,
            caching_device=request.caching_device,
            validate_shape=request.validate_shape,
            use_resource=resource_variables_enabled() if use_resource is None else use_resource,
            constraint=request.constraint,
            synchronization=request.synchronization,
            aggregation=request.aggregation,
        )
        self._vars[name] = variable
        if request.regularizer:
            _add_regularization(name, variable, request.regularizer)
        return variable

    def _found(self, name: str, shape: TensorShape | None, dtype: Any, reuse: Any) -> Any:
        found = self._vars[name]
        if reuse is False:
            text = (
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
            if not isinstance(found, BaseResourceVariable):
                frames = "".join(traceback.format_list(found.op.traceback))
                text += f" Originally defined at:\n\n{frames}"
            raise ValueError(text)
        if shape is not None and not shape.is_compatible_with(found.shape):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape "
                f"{found.shape}."
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found "
                f"dtype {found.dtype.name}."
            )
        return found

    def find_partitioned(self, request: VariableRequest) -> PartitionedVariable:
        """Finds or makes a variable that is cut up along one dimension.

        Raises:
          ValueError: It exists and should not, or the other way round, or it is another one.
        """
        name, reuse = request.name, request.reuse
        initializer, partitioner = request.initializer, request.partitioner
        if name in self._vars:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the variable was "
                f"found: {name}.  Perhaps a variable of the same name was already created without "
                "partitioning?"
            )
        dtype = dtypes.as_dtype(request.dtype)
        shape = as_shape(request.shape)
        if isinstance(initializer, Tensor):
            shape = shape.merge_with(initializer.shape)
        partitions = None
        if not reuse or partitioner:
            partitions = _call_partitioner(partitioner, shape, dtype)
        if name in self._partitioned_vars:
            return self._found_partitioned(name, shape, dtype, reuse, partitions)
        if reuse is True or partitions is None:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
        axis, count = _cut(partitions)
        self._check_shards(name, count)
        full_shape: list[Any] = shape.as_list()
        parts = []
        for i, (offset, part_shape) in enumerate(_slices(full_shape, count, axis)):
            part_name = f"{name}/part_{i}"
            initial = initializer
            with scopes.name_scope(f"{part_name}/PartitionedInitializer"):
                if initial is None:
                    initial = default_initializer(name, dtype)
                elif not callable(initial):
                    whole = convert_to_tensor(
                        initial, None if isinstance(initial, Tensor) else dtype
                    )
                    initial = array_slice.slice(whole, offset, part_shape)
                    dtype = initial.dtype.base_dtype
            with scopes.name_scope(None):
                part = self._find_single(
                    replace(
                        request,
                        name=part_name,
                        shape=part_shape if callable(initial) else None,
                        initializer=initial,
                        dtype=dtype,
                    ),
                    PartitionInfo(full_shape, offset),
                )
            part._set_save_slice_info(SaveSliceInfo(name, full_shape, offset, part_shape))
            parts.append(part)
        made = PartitionedVariable(name, shape, dtype, parts, partitions)
        self._partitioned_vars[name] = made
        return made

    def _found_partitioned(
        self, name: str, shape: TensorShape, dtype: Any, reuse: Any, partitions: Any
    ) -> PartitionedVariable:
        if reuse is False:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        found = self._partitioned_vars[name]
        start = f"Trying to reuse partitioned variable {name}, but specified"
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(f"{start} shape {shape} and found shape {found.get_shape()}.")
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(f"{start} dtype {dtype.name} and found dtype {found.dtype.name}.")
        if partitions is not None and found._get_partitions() != partitions:
            raise ValueError(
                f"{start} partitions {partitions} and found partitions {found._get_partitions()}."
            )
        return found

    def _check_shards(self, name: str, count: int) -> None:
        if f"{name}/part_0" not in self._vars:
            return
        start = (
            "Partitioner returned a different partitioning than what was already found.  "
            f"Partitioner returned {count} shards, and shard {name}/part_0 was found, but"
        )
        if f"{name}/part_{count - 1}" not in self._vars:
            raise ValueError(f"{start} {name}/part_{count - 1} was not.")
        if f"{name}/part_{count}" in self._vars:
            raise ValueError(f"{start} so was the extra shard {name}/part_{count}.")


def get_variable_store() -> VariableStore:
    """The store of the default graph."""
    store: VariableStore = kept_by_graph(STORE_KEY, VariableStore)
    return store


def default_initializer(name: str, dtype: Any) -> Any:
    """The initializer of a variable that is given none.

    Raises:
      ValueError: There is none for such elements.
    """
    if dtype.is_floating:
        return GlorotUniform()
    if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype == dtypes.string:
        return Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype.base_dtype} is required")


def _bound_initializer(
    initializer: Any, shape: TensorShape | None, dtype: Any, partition_info: PartitionInfo | None
) -> tuple[Callable[[], Any], Any]:
    """A function without arguments that makes the initial value, and the value's dtype if set."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        options = {"dtype": dtype}
        if _takes(initializer, "partition_info", or_any=False):
            options["partition_info"] = partition_info
        return functools.partial(initializer, shape.as_list(), **options), dtype.base_dtype
    if _needs_no_arguments(initializer):
        return initializer, None
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the "
        "shape should not be provided or an instance of `tf.keras.initializers.*' and `shape` "
        "should be fully defined."
    )


def _takes(function: Any, argument: str, or_any: bool = True) -> bool:
    """Whether a callable has an argument of that name, or takes any."""
    parameters = inspect.signature(function).parameters
    return argument in parameters or (
        or_any and any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    )


def _needs_no_arguments(function: Any) -> bool:
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        for p in inspect.signature(function).parameters.values()
    )


def _add_regularization(name: str, variable: Any, regularizer: Callable[[Any], Any]) -> None:
    def loss() -> Any:
        with scopes.colocate_with(variable), scopes.name_scope(f"{name}/Regularizer/"):
            return regularizer(variable)

    if regularizer(variable) is not None:
        scopes.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, RegularizationLoss(loss))


def _call_partitioner(partitioner: Any, shape: TensorShape, dtype: Any) -> Sequence[int]:
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    if not shape.rank:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    slicing = partitioner(shape=shape, dtype=dtype)
    if not isinstance(slicing, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {slicing}")
    if len(slicing) != shape.rank:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{slicing} vs. {shape}"
        )
    if any(p < 1 for p in slicing):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {slicing}")
    if sum(p > 1 for p in slicing) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: "
            f"{slicing}"
        )
    return slicing


def _cut(partitions: Sequence[int]) -> tuple[int, int]:
    """The axis that is cut, and into how many parts."""
    for axis, count in enumerate(partitions):
        if count > 1:
            return axis, count
    return 0, 1


def _slices(full_shape: list[Any], count: int, axis: int) -> Iterator[tuple[list[int], list[int]]]:
    """Offsets and shapes of the parts; the first ones take what is left over."""
    size, excess = divmod(full_shape[axis], count)
    offset = [0] * len(full_shape)
    for i in range(count):
        shape = list(full_shape)
        shape[axis] = size + (i < excess)
        yield list(offset), shape
        offset[axis] += shape[axis]
