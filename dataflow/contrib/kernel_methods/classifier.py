"""A linear classifier of features that approximate kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from dataflow.contrib.kernel_methods.mappers import DenseKernelMapper
from dataflow.contrib.layers.feature_columns import real_valued_column
from dataflow.contrib.learn.canned import LinearEstimator
from dataflow.contrib.learn.heads.classes import multi_class_head
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.ops.array.concat import concat


class KernelLinearClassifier(LinearEstimator):
    """A linear model of columns and of what mappers make of them."""

    _overridable: ClassVar[frozenset[str]] = LinearEstimator._overridable

    def __init__(
        self,
        feature_columns: Iterable[Any] | None = None,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        kernel_mappers: Mapping[Any, Iterable[DenseKernelMapper]] | None = None,
        config: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          feature_columns: Columns of the model.
          model_dir: Folder of checkpoints and summaries.
          n_classes: How many classes.
          weight_column_name: The feature that holds the weights of examples.
          optimizer: Trains the model; Ftrl if None.
          kernel_mappers: For columns of numbers the mappers that make further features of them.
          config: How to run.

        Raises:
          ValueError: There are neither columns nor mappers, or a mapper is none.
        """
        mappers = {column: list(each) for column, each in (kernel_mappers or {}).items()}
        if not feature_columns and not mappers:
            raise ValueError("You should set at least one of feature_columns, kernel_mappers.")
        if not all(isinstance(each, DenseKernelMapper) for own in mappers.values() for each in own):
            raise ValueError("Invalid kernel mappers.")
        columns = [
            *(feature_columns or []),
            *(
                real_valued_column(_mapped(column), sum(each.output_dim for each in own))
                for column, own in mappers.items()
            ),
        ]

        def with_mapped(features: Any, labels: Any) -> Any:
            made = {
                _mapped(column): concat([each.map(features[column.name]) for each in own], 1)
                for column, own in mappers.items()
            }
            return {**features, **made}, labels

        super().__init__(
            columns,
            multi_class_head(n_classes, weight_column_name=weight_column_name),
            model_dir,
            optimizer=optimizer,
            config=config,
            feature_engineering_fn=with_mapped,
        )

    def predict_classes(self, input_fn: Any = None) -> Iterator[Any]:
        """Gives the class of each example."""
        return self._each(PredictionKey.CLASSES, input_fn)

    def predict_proba(self, input_fn: Any = None) -> Iterator[Any]:
        """Gives the probabilities of all classes for each example."""
        return self._each(PredictionKey.PROBABILITIES, input_fn)

    def _each(self, key: str, input_fn: Any) -> Iterator[Any]:
        for found in self.predict(input_fn=input_fn, outputs=[key]):
            yield found[key]


def _mapped(column: Any) -> str:
    return f"{column.name}_MAPPED"
