"""What the columns of tf.contrib.layers are, and the texts by which they are sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dataflow.contrib.layers.columns.crosses import sparse_feature_cross
from dataflow.feature_columns import categories
from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, FeatureColumn, Inputs
from dataflow.feature_columns.numbers import BucketizedColumn, NumericColumn
from dataflow.feature_columns.vectors import EmbeddingColumn, IndicatorColumn
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.public_modules import public_module
from dataflow.ops.math.division import floormod


class OlderColumn(FeatureColumn):
    """A column of tf.contrib.layers: such ones alone have the scopes and names of its models."""

    @property
    def config(self) -> dict[str, Any]:
        """What `tf.io.parse_example` is to take for it."""
        return self.parse_example_spec

    @property
    def key(self) -> str:
        """By what columns are sorted."""
        return repr(self)


@dataclass(frozen=True, repr=False)
class RealValuedColumn(OlderColumn, DenseColumn):
    """Numbers of a feature."""

    column: NumericColumn

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.column.name

    @property
    def column_name(self) -> str:
        """The name of the feature."""
        return self.column.name

    @property
    def dimension(self) -> int:
        """How many numbers an example has."""
        return self.column.shape[0]

    @property
    def default_value(self) -> Any:
        """What an example without the feature has."""
        return self.column.default_value

    @property
    def dtype(self) -> Any:
        """The type in examples."""
        return self.column.dtype

    @property
    def normalizer(self) -> Callable[[Any], Any] | None:
        """A function of the numbers."""
        return self.column.normalizer_fn

    normalizer_fn = normalizer

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self.column.parse_example_spec

    @property
    def variable_shape(self) -> Any:
        """See `DenseColumn`."""
        return self.column.variable_shape

    def transformed(self, inputs: Inputs) -> Any:
        """See `FeatureColumn`."""
        return inputs.get(self.column)

    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Any:
        """See `DenseColumn`."""
        return inputs.get(self)

    @property
    def key(self) -> str:
        """See `OlderColumn`; functions have no text that stays."""
        return (
            f"_RealValuedColumn(column_name={self.name}, dimension={self.dimension}, "
            f"default_value={_listed(self.default_value)}, dtype={self.dtype})"
        )

    def __repr__(self) -> str:
        return (
            f"_RealValuedColumn(column_name={self.name!r}, dimension={self.dimension}, "
            f"default_value={_listed(self.default_value)!r}, dtype={self.dtype!r}, "
            f"normalizer={self.normalizer!r})"
        )


def _listed(default: Any) -> Any:
    return tuple(default) if isinstance(default, (list, tuple)) else default


class OlderBucketizedColumn(OlderColumn, BucketizedColumn):
    """Which of some ranges numbers lie in."""

    @property
    def length(self) -> int:
        """How many ranges there are."""
        return len(self.boundaries) + 1

    def __repr__(self) -> str:
        source = RealValuedColumn(self.source_column)
        return f"_BucketizedColumn(source_column={source!r}, boundaries={self.boundaries!r})"


class _OfCategories(OlderColumn, CategoricalColumn):
    """Categories that a column of `tf.feature_column` tells."""

    column: CategoricalColumn

    @property
    def name(self) -> str:
        """That of the column."""
        return self.column.name

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.column.num_buckets

    @property
    def length(self) -> int:
        """How many ids there are."""
        return self.column.num_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self.column.parse_example_spec

    def transformed(self, inputs: Inputs) -> Any:
        """See `FeatureColumn`."""
        return inputs.get(self.column)

    def ids_and_weights(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor | None]:
        """See `CategoricalColumn`."""
        return self.column.ids_and_weights(inputs)


@dataclass(frozen=True, repr=False)
class SparseColumn(_OfCategories):
    """Categories, and how a linear model combines the weights of an example's."""

    column: CategoricalColumn
    combiner: str

    def __repr__(self) -> str:
        column, lookup, size = self.column, "None", "None"
        words = categories.VocabularyListCategoricalColumn
        if isinstance(column, (words, categories.VocabularyFileCategoricalColumn)):
            if isinstance(column, words):
                kind, file, keys = "_SparseColumnKeys", None, column.vocabulary_list
            else:
                kind, file, keys = "_SparseColumnVocabulary", column.vocabulary_file, None
            lookup = (
                f"_SparseIdLookupConfig(vocabulary_file={file!r}, keys={keys!r}, num_oov_buckets="
                f"{column.num_oov_buckets}, vocab_size={column.vocabulary_size}, default_value="
                f"{column.default_value})"
            )
        else:
            kind = "_SparseColumnHashed"
            if isinstance(column, IntegerizedColumn):
                kind = "_SparseColumnIntegerized"
            size = str(column.num_buckets)
        is_integers = isinstance(column, IntegerizedColumn)
        return (
            f"{kind}(column_name={self.name!r}, is_integerized={is_integers}, bucket_size={size}, "
            f"lookup_config={lookup}, combiner={self.combiner!r}, dtype={self.dtype!r})"
        )

    @property
    def dtype(self) -> Any:
        """The type of the feature."""
        return next(iter(self.parse_example_spec.values())).dtype


@dataclass(frozen=True)
class IntegerizedColumn(CategoricalColumn):
    """Integers, which are ids after a division."""

    feature: str
    number_buckets: int
    dtype: Any

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.feature

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.number_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return {self.feature: public_module("io").VarLenFeature(self.dtype)}

    def transformed(self, inputs: Inputs) -> SparseTensor:
        """What is left of each number."""
        found = inputs.get(self.feature)
        ids = floormod(found.values, self.number_buckets, name="mod")
        return SparseTensor(found.indices, ids, found.dense_shape)

    def ids_and_weights(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor | None]:
        """See `CategoricalColumn`."""
        return inputs.get(self), None


@dataclass(frozen=True, repr=False)
class WeightedSparseColumn(_OfCategories):
    """Categories, whose weights are another feature."""

    sparse_id_column: Any
    column: categories.WeightedCategoricalColumn

    @property
    def combiner(self) -> str:
        """How a linear model combines the weights of an example's."""
        return str(self.sparse_id_column.combiner)

    def __repr__(self) -> str:
        return (
            f"_WeightedSparseColumn(sparse_id_column={self.sparse_id_column!r}, "
            f"weight_column_name={self.column.weight_feature_key!r}, dtype={self.column.dtype!r})"
        )


@dataclass(frozen=True, repr=False)
class OlderCrossedColumn(OlderColumn, CategoricalColumn):
    """Each combination of one category of each column, by its hash."""

    columns: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None
    combiner: str
    ckpt_to_load_from: Any
    tensor_name_in_ckpt: str | None

    @property
    def name(self) -> str:
        """The names of all columns, sorted."""
        return "_X_".join(sorted(each.name for each in self.columns))

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.hash_bucket_size

    @property
    def length(self) -> int:
        """How many ids there are."""
        return self.hash_bucket_size

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return {
            name: kind for each in self.columns for name, kind in each.parse_example_spec.items()
        }

    def transformed(self, inputs: Inputs) -> SparseTensor:
        """The hashes of the combinations, of features themselves rather than of their ids."""
        given = [
            each.ids_and_weights(inputs)[0]
            if isinstance(each, BucketizedColumn)
            else inputs.get(each.name)
            for each in self._leaves()
        ]
        return sparse_feature_cross(given, True, self.hash_bucket_size, "cross", self.hash_key)

    def ids_and_weights(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor | None]:
        """See `CategoricalColumn`."""
        return inputs.get(self), None

    def _leaves(self) -> Iterator[Any]:
        for each in self.columns:
            if isinstance(each, OlderCrossedColumn):
                yield from each._leaves()
            else:
                yield each

    def __repr__(self) -> str:
        return (
            f"_CrossedColumn(columns={self.columns!r}, hash_bucket_size={self.hash_bucket_size}, "
            f"hash_key={self.hash_key}, combiner={self.combiner!r}, "
            f"ckpt_to_load_from={self.ckpt_to_load_from!r}, "
            f"tensor_name_in_ckpt={self.tensor_name_in_ckpt!r})"
        )


class OneHotColumn(OlderColumn, IndicatorColumn):
    """How often each id is there."""

    @property
    def name(self) -> str:
        """That of the categories, with "_one_hot"."""
        return f"{self.categorical_column.name}_one_hot"

    def __repr__(self) -> str:
        return f"_OneHotColumn(sparse_id_column={self.categorical_column!r})"


@dataclass(frozen=True, repr=False, eq=False)
class OlderEmbeddingColumn(OlderColumn, EmbeddingColumn):
    """An embedding whose variable is called "weights", or has the name of a shared table."""

    shared_name: str | None = None

    @property
    def name(self) -> str:
        """That of the categories, with "_embedding", or "_shared_embedding"."""
        kind = "embedding" if self.shared_name is None else "shared_embedding"
        return f"{self.categorical_column.name}_{kind}"

    @property
    def shared_collection(self) -> str | None:
        """See `EmbeddingColumn`."""
        name = self.shared_name
        return None if name is None else f"SHARED_EMBEDDING_COLLECTION_{name.upper()}"

    @property
    def table_name(self) -> str:
        """See `EmbeddingColumn`."""
        return self.shared_name or "weights"

    @property
    def scope_name(self) -> str:
        """See `DenseColumn`."""
        return self.name

    @property
    def key(self) -> str:
        """See `OlderColumn`; initializers do not count."""
        ids = self.categorical_column
        vocabulary = None if self.shared_name is None else ids.num_buckets
        return (
            f"_EmbeddingColumn(sparse_id_column={ids}, dimension={self.dimension}, "
            f"combiner={self.combiner}, ckpt_to_load_from={self.ckpt_to_load_from}, "
            f"tensor_name_in_ckpt={self.tensor_name_in_ckpt}, "
            f"shared_embedding_name={self.shared_name}, shared_vocab_size={vocabulary}, "
            f"max_norm={self.max_norm}, trainable={self.trainable})"
        )


def key_of(column: Any) -> str:
    """By what columns are sorted: what TensorFlow's have as text begins with their kind."""
    if isinstance(column, OlderColumn):
        return column.key
    kinds: dict[Any, str] = {
        EmbeddingColumn: "_EmbeddingColumn",
        IndicatorColumn: "_OneHotColumn",
        NumericColumn: "_RealValuedColumn",
        BucketizedColumn: "_BucketizedColumn",
        categories.WeightedCategoricalColumn: "_WeightedSparseColumn",
    }
    name = getattr(column, "name", column)
    return f"{kinds.get(type(column), '_SparseColumn')}(column_name={name!r}"
