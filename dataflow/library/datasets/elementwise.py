"""Methods of datasets that apply functions to elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import nodes, structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.functions import AsDefun, ElementFunction, element_function
from dataflow.library.datasets.nodes import AUTOTUNE, captures, dataset_node, number
from dataflow.library.datasets.specs import DatasetSpec, TensorSpec
from dataflow.values import dtypes


def deterministic_text(deterministic: bool | None) -> bytes:
    """What the attr `deterministic` says."""
    return b"default" if deterministic is None else (b"true" if deterministic else b"false")


def predicate(
    function: Callable[..., Any] | AsDefun, name: str, spec: Any, complaint: str
) -> ElementFunction:
    """A function on elements that gives a bool.

    Args:
      function: Takes the components of an element.
      name: What calls it: "Dataset.filter()".
      spec: Describes the elements.
      complaint: What is said of another result, in which `{spec}` stands for what describes it.

    Raises:
      ValueError: It gives something else.
    """
    made = element_function(function, name, spec)
    if not made.spec == TensorSpec([], dtypes.bool) and not (
        isinstance(made.spec, TensorSpec)
        and made.spec.is_compatible_with(TensorSpec([], dtypes.bool))
    ):
        raise ValueError(complaint.format(spec=made.spec))
    return made


def dataset_function(function: Callable[..., Any], name: str, *specs: Any) -> ElementFunction:
    """A function on elements that gives a dataset.

    Raises:
      TypeError: It gives something else.
    """
    made = element_function(function, name, *specs)
    if not isinstance(made.spec, DatasetSpec):
        raise TypeError(f"`map_func` must return a `Dataset` object. Got {type(made.spec)}")
    return made


class ElementwiseMethods(DatasetBase):
    """Applies functions to elements."""

    def map(
        self,
        map_func: Callable[..., Any] | AsDefun,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Any:
        """What a function makes of each element.

        Args:
          map_func: Takes the components of an element; returns an element.
          num_parallel_calls: How many calls go on at a time; None for one, -1 for a good number.
          deterministic: Whether elements come in order; None where options say it.
          synchronous: Whether all is done when an element is asked for.
          use_unbounded_threadpool: Whether there are as many threads as calls.
          name: Name of the operation.

        Raises:
          ValueError: `synchronous` and `num_parallel_calls` exclude each other.
        """
        if synchronous and num_parallel_calls is not None:
            raise ValueError(
                "`synchronous` is not supported with `num_parallel_calls`, but `num_parallel_calls`"
                f" was set to {num_parallel_calls}."
            )
        function = element_function(map_func, "Dataset.map()", self.element_spec)
        if num_parallel_calls is None:
            variant = dataset_node(
                "MapDataset",
                function.spec,
                self._variant_tensor,
                captures(function),
                name=name,
                f=function.attr,
                use_inter_op_parallelism=True,
                preserve_cardinality=False,
                force_synchronous=bool(synchronous),
            )
        else:
            variant = dataset_node(
                "ParallelMapDatasetV2",
                function.spec,
                self._variant_tensor,
                captures(function),
                number(num_parallel_calls, "num_parallel_calls"),
                name=name,
                f=function.attr,
                use_inter_op_parallelism=True,
                preserve_cardinality=False,
                deterministic=deterministic_text(deterministic),
                use_unbounded_threadpool=use_unbounded_threadpool,
            )
        return self._made(variant, function.spec, self)

    def map_with_legacy_function(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        use_unbounded_threadpool: bool = False,
    ) -> Any:
        """What `map` does; branches and stateful operations in the function are as in a `Defun`."""
        return self.map(
            AsDefun(map_func),
            num_parallel_calls,
            deterministic,
            use_unbounded_threadpool=use_unbounded_threadpool,
        )

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Any:
        """The elements of the datasets that a function makes of elements, one after the other.

        Args:
          map_func: Takes the components of an element; returns a dataset.
          name: Name of the operation.

        Raises:
          TypeError: It returns something else.
        """
        function = dataset_function(map_func, "Dataset.flat_map()", self.element_spec)
        spec = function.spec.element_spec
        variant = dataset_node(
            "FlatMapDataset",
            spec,
            self._variant_tensor,
            captures(function),
            name=name,
            f=function.attr,
        )
        return self._made(variant, spec, self)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """The elements of the datasets that a function makes, of several in turn.

        Args:
          map_func: Takes the components of an element; returns a dataset.
          cycle_length: How many datasets there are at a time.
          block_length: How many elements are taken of one before the next has its turn; 1 if None.
          num_parallel_calls: How many datasets make elements ahead; None for none.
          deterministic: Whether elements come in order; here they always do.
          name: Name of the operation.

        Raises:
          TypeError: `map_func` returns something else than a dataset.
        """
        block_length = 1 if block_length is None else block_length
        if cycle_length is None:
            cycle_length = AUTOTUNE if num_parallel_calls is not None else _cores()
        function = dataset_function(map_func, "Dataset.interleave()", self.element_spec)
        spec = function.spec.element_spec
        common = (
            self._variant_tensor,
            captures(function),
            number(cycle_length, "cycle_length"),
            number(block_length, "block_length"),
        )
        if num_parallel_calls is None:
            variant = dataset_node("InterleaveDataset", spec, *common, name=name, f=function.attr)
        else:
            variant = dataset_node(
                "ParallelInterleaveDatasetV4",
                spec,
                *common,
                number(AUTOTUNE, "buffer_output_elements"),
                number(AUTOTUNE, "prefetch_input_elements"),
                number(num_parallel_calls, "num_parallel_calls"),
                name=name,
                f=function.attr,
                deterministic=deterministic_text(deterministic),
            )
        return self._made(variant, spec, self)

    def filter(self, predicate: Callable[..., Any] | AsDefun, name: str | None = None) -> Any:
        """The elements for which a function gives True.

        Args:
          predicate: Takes the components of an element; returns a scalar bool.
          name: Name of the operation.

        Raises:
          ValueError: It returns something else.
        """
        function = _predicate(
            predicate,
            "Dataset.filter()",
            self.element_spec,
            "`predicate` return type must be convertible to a scalar boolean tensor. Was {spec}.",
        )
        variant = dataset_node(
            "FilterDataset",
            self.element_spec,
            self._variant_tensor,
            captures(function),
            name=name,
            predicate=function.attr,
        )
        return self._made(variant, self.element_spec, self)

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Any:
        """What `filter` does; branches and stateful operations are as in a `Defun`."""
        return self.filter(AsDefun(predicate))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """The elements before the first one for which a function gives False.

        Args:
          predicate: Takes the components of an element; returns a scalar bool.
          name: Name of the operation.

        Raises:
          ValueError: It returns something else.
        """
        function = _predicate(
            predicate,
            "Dataset.take_while()",
            self.element_spec,
            "`predicate` must return a scalar boolean tensor.",
        )
        variant = dataset_node(
            "TakeWhileDataset",
            self.element_spec,
            self._variant_tensor,
            captures(function),
            name=name,
            predicate=function.attr,
        )
        return self._made(variant, self.element_spec, self)

    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """What a function makes of each element and of a state, which it makes anew each time.

        Args:
          initial_state: The first state: a structure of tensors.
          scan_func: Takes a state and an element; returns a state and an element.
          name: Name of the operation.

        Raises:
          TypeError: It returns something else, or a state of other types.
        """
        state = structures.normalized(initial_state)
        state_spec = structures.spec_of_element(state)

        def checked(made: Any) -> Any:
            if not isinstance(made, tuple) or len(made) != 2:
                raise TypeError(
                    "The scan function must return a pair comprising the new state and the output "
                    "value."
                )
            return made

        function, state_spec = stable_function(
            scan_func,
            "Dataset.scan()",
            state_spec,
            (self.element_spec,),
            checked,
            lambda spec: spec[0],
            lambda what, before, after: (
                f"The element {what} for the new state must match the initial "
                f"state. Expected {before}; got {after}."
            ),
        )
        spec = function.spec[1]
        variant = dataset_node(
            "ScanDataset",
            spec,
            self._variant_tensor,
            structures.to_tensors(state_spec, state),
            captures(function),
            name=name,
            f=function.attr,
            preserve_cardinality=True,
            use_default_device=True,
        )
        return self._made(variant, spec, self)

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The state that a function makes of all elements, one after the other.

        Args:
          initial_state: The first state: a structure of tensors.
          reduce_func: Takes a state and an element; returns a state.
          name: Name of the operation.

        Returns:
          The last state.

        Raises:
          TypeError: It returns a state of other types.
        """
        with scopes.name_scope("initial_state"):
            state = structures.normalized(initial_state)
        state_spec = structures.spec_of_element(state)
        function, state_spec = stable_function(
            reduce_func,
            "reduce()",
            state_spec,
            (self.element_spec,),
            None,
            lambda spec: spec,
            lambda what, before, after: (
                f"The element {what} for the new state must match the initial state. Expected "
                f"{before}; got {after}."
            ),
        )
        tensors = apply_op(
            "ReduceDataset",
            self._variant_tensor,
            structures.to_tensors(state_spec, state),
            captures(function),
            name=name,
            f=function.attr,
            use_inter_op_parallelism=True,
            **nodes.described(state_spec),
        )
        return structures.from_tensors(state_spec, tensors)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element of the dataset.

        Args:
          name: Name of the operation.

        Returns:
          The element. Running it raises InvalidArgumentError if there is none, or more than one.
        """
        spec = self.element_spec
        tensors = apply_op(
            "DatasetToSingleElement", self._variant_tensor, name=name, **nodes.described(spec)
        )
        return structures.from_tensors(spec, tensors)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """What a function makes of windows of elements that have the same key.

        Args:
          key_func: Takes the components of an element; returns a key, a scalar int64.
          reduce_func: Takes a key and a dataset of elements; returns a dataset.
          window_size: How many elements a window has at most.
          window_size_func: Takes a key; returns how many elements its windows have.
          name: Name of the operation.

        Raises:
          ValueError: Not one of `window_size` and `window_size_func` is given, or a function
            returns something else.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Must pass either window_size or window_size_func.")
        if window_size_func is None:

            def window_size_func(unused_key: Any) -> Any:
                return number(window_size, "Const")

        key_spec = TensorSpec([], dtypes.int64)
        key = element_function(_as_number(key_func), "Dataset.group_by_window()", self.element_spec)
        _check_number(key, "key_func")
        size = element_function(_as_number(window_size_func), "Dataset.group_by_window()", key_spec)
        _check_number(size, "window_size_func")
        reduce = element_function(
            reduce_func, "Dataset.group_by_window()", key_spec, DatasetSpec(self.element_spec)
        )
        if not isinstance(reduce.spec, DatasetSpec):
            raise TypeError("`reduce_func` must return a `Dataset` object.")
        spec = reduce.spec.element_spec
        variant = dataset_node(
            "GroupByWindowDataset",
            spec,
            self._variant_tensor,
            captures(key),
            captures(reduce),
            captures(size),
            name=name,
            key_func=key.attr,
            reduce_func=reduce.attr,
            window_size_func=size.attr,
        )
        return self._made(variant, spec, self)


_predicate = predicate


def _cores() -> int:
    return min(os.cpu_count() or 1, 16)


def _as_number(function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any) -> Tensor:
        return number(function(*args), "Const")

    wrapper.__name__ = getattr(function, "__name__", "function") + "_wrapper"
    return wrapper


def _check_number(function: ElementFunction, name: str) -> None:
    if not (
        isinstance(function.spec, TensorSpec)
        and function.spec.dtype == dtypes.int64
        and function.spec.shape.is_compatible_with([])
    ):
        raise ValueError(f"`{name}` must return a single tf.int64 scalar tensor.")


def stable_function(
    function: Callable[..., Any],
    name: str,
    state_spec: Any,
    specs: tuple[Any, ...],
    finish: Callable[[Any], Any] | None,
    state_of: Callable[[Any], Any],
    refusal: Callable[[str, Any, Any], str],
) -> tuple[ElementFunction, Any]:
    """A function from state to state, and the spec of a state, as loose as it must be.

    Args:
      function: The function.
      name: Of what it is for.
      state_spec: Of the first state.
      specs: Of the other arguments.
      finish: See `element_function`.
      state_of: The spec of the state in that of what is returned.
      refusal: What an error says: of "types" or "classes", of the former and of the new state.

    Raises:
      TypeError: The function returns a state of other types.
    """
    while True:
        made = element_function(function, name, state_spec, *specs, finish=finish)
        found = state_of(made.spec)
        for what, view in (
            ("types", structures.legacy_types),
            ("classes", structures.legacy_classes),
        ):
            if view(found) != view(state_spec):
                raise TypeError(refusal(what, view(state_spec), view(found)))
        loose = structures.relaxed(state_spec, found)
        if loose == state_spec:
            return made, state_spec
        state_spec = loose
