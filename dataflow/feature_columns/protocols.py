"""The names that both generations of TensorFlow's columns have for what columns of ours do."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, NamedTuple

from dataflow.feature_columns.configs import Configured

_SOURCES = ("key", "source_column", "categorical_column", "weight_feature_key")


class IdWeightPair(NamedTuple):
    """The ids of a batch, and their weights, if they have some."""

    id_tensor: Any
    weight_tensor: Any


class TensorSequenceLengthPair(NamedTuple):
    """The numbers of a batch of sequences, and how long each is."""

    dense_tensor: Any
    sequence_length: Any


def own_name(column: Any, base: type, *names: str) -> str:
    """Which of some names a class has given its own meaning, where the others are told by it.

    Raises:
      NotImplementedError: None of them.
    """
    for name in names:
        if getattr(type(column), name) is not getattr(base, name):
            return name
    raise NotImplementedError(f"{type(column).__name__} has none of {', '.join(names)}.")


def _by_generation(inputs: Any, newer: str) -> tuple[str, str]:
    """Both names of something, first the one that TensorFlow calls: the newer with a manager."""
    return (f"_{newer}", newer) if inputs.state_manager is None else (newer, f"_{newer}")


class ColumnNames(Configured):
    """A column; a program's own may have either generation's names only."""

    @property
    def _is_v2_column(self) -> bool:
        kind = type(self)
        newer = kind.transformed is not ColumnNames.transformed
        newer = newer or kind.transform_feature is not ColumnNames.transform_feature
        held = (each for each in self.parents if isinstance(each, ColumnNames))
        return newer and all(each._is_v2_column for each in held)

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)

    @property
    def parents(self) -> list[Any]:
        """The names of features and the columns that this one is made of."""
        kind: Any = type(self)
        if not is_dataclass(kind):
            return []
        held = {each.name: getattr(self, each.name) for each in fields(kind)}
        return [held[name] for name in _SOURCES if name in held] + list(held.get("keys", ()))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """By name what `tf.io.parse_example` is to take."""
        own_name(self, ColumnNames, "_parse_example_spec")
        return self._parse_example_spec

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.parse_example_spec

    @property
    def _var_scope_name(self) -> str:
        return self.scope_name

    @property
    def scope_name(self) -> str:
        """The scope of its variables."""
        own = type(self)._var_scope_name is not ColumnNames._var_scope_name
        return self._var_scope_name if own else str(self.name)

    def transformed(self, inputs: Any) -> Any:
        """What the column makes of the features, once for a batch."""
        name = own_name(self, ColumnNames, *_by_generation(inputs, "transform_feature"))
        if name == "transform_feature":
            return self.transform_feature(inputs, inputs.state_manager)
        return self._transform_feature(inputs)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """As `transformed`, with the variables of a state manager."""
        with transformation_cache.managed(state_manager):
            return self.transformed(transformation_cache)

    def _transform_feature(self, inputs: Any) -> Any:
        return self.transformed(inputs)

    def create_state(self, state_manager: Any) -> None:
        """Has a state manager make the column's variables."""

    def _reset_config(self) -> None:
        """Nothing of a column is made before it is used."""


class DenseNames:
    """A column of numbers."""

    @property
    def variable_shape(self) -> Any:
        """The shape of the numbers of an example."""
        own_name(self, DenseNames, "_variable_shape")
        return self._variable_shape

    @property
    def _variable_shape(self) -> Any:
        return self.variable_shape

    def dense(self, inputs: Any, trainable: bool, collections: Any) -> Any:
        """The numbers of a batch; makes variables in the open scope if it has some."""
        name = own_name(self, DenseNames, *_by_generation(inputs, "get_dense_tensor"))
        if name == "get_dense_tensor":
            return self.get_dense_tensor(inputs, inputs.state_manager)
        return self._get_dense_tensor(inputs, weight_collections=collections, trainable=trainable)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """As `dense`, with the variables of a state manager."""
        with transformation_cache.managed(state_manager):
            return self.dense(transformation_cache, True, None)

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        return self.dense(inputs, trainable is not False, weight_collections)


class CategoricalNames:
    """A column of ids."""

    IdWeightPair: ClassVar[type] = IdWeightPair

    @property
    def num_buckets(self) -> int:
        """How many ids there are."""
        own_name(self, CategoricalNames, "_num_buckets")
        return self._num_buckets

    @property
    def _num_buckets(self) -> int:
        return self.num_buckets

    def ids_and_weights(self, inputs: Any) -> tuple[Any, Any]:
        """The ids of each example, and their weights, if they have some."""
        for name in _by_generation(inputs, "get_sparse_tensors"):
            if getattr(type(self), name) is not getattr(CategoricalNames, name):
                newer = (inputs.state_manager,) if name == "get_sparse_tensors" else ()
                return IdWeightPair(*getattr(self, name)(inputs, *newer))
        return inputs.get(self), None

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> Any:
        """As `ids_and_weights`, with the variables of a state manager."""
        with transformation_cache.managed(state_manager):
            return IdWeightPair(*self.ids_and_weights(transformation_cache))

    def _get_sparse_tensors(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        return IdWeightPair(*self.ids_and_weights(inputs))


class SequenceNames:
    """A column of numbers for each step of a sequence."""

    TensorSequenceLengthPair: ClassVar[type] = TensorSequenceLengthPair

    def sequence(self, inputs: Any, trainable: bool, collections: Any) -> Any:
        """The numbers of a batch, `[batch, steps, *shape]`, and the lengths of its sequences."""
        newer = "get_sequence_dense_tensor"
        if own_name(self, SequenceNames, *_by_generation(inputs, newer)) == newer:
            found = self.get_sequence_dense_tensor(inputs, inputs.state_manager)
        else:
            found = self._get_sequence_dense_tensor(inputs, collections, trainable)
        return TensorSequenceLengthPair(*found)

    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """As `sequence`, with the variables of a state manager."""
        with transformation_cache.managed(state_manager):
            return self.sequence(transformation_cache, True, None)

    def _get_sequence_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        return self.sequence(inputs, trainable is not False, weight_collections)
