"""What estimators of classes and of numbers predict by methods of these names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

from dataflow.contrib.layers.feature_column_ops import parse_feature_columns_from_examples
from dataflow.contrib.learn.bundle_exports import (
    SignatureFn,
    classification_signature_fn_with_prob,
    regression_signature_fn,
)
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.heads.keys import PredictionKey


class Telling(Estimator):
    """An estimator with methods for single predictions."""

    def _only(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        """One prediction of examples, one after the other or as an array."""
        found = Estimator.predict(self, x, input_fn, batch_size, [key], as_iterable)
        return _each(found, key) if as_iterable else found[key]


class ClassesAndChances(Telling):
    """An estimator that tells classes and their probabilities by methods of these names."""

    def predict_classes(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The classes of examples, one after the other or as an array."""
        return self._only(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The probabilities of all classes, one example after the other or as an array."""
        return self._only(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class TellingOne(Telling):
    """One whose `predict` gives one prediction, unless others are asked for by name."""

    _overridable: ClassVar[frozenset[str]] = Estimator._overridable | {"predict"}
    _model_fn: partial[Any]
    _told_by: ClassVar[str]
    """The method that gives it."""

    def predict(  # type: ignore[override]
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
    ) -> Any:
        """The prediction for examples, or others by name; see `Estimator.predict`."""
        if not outputs:
            return getattr(self, self._told_by)(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def _read_examples(self, examples: Any) -> Any:
        """The features that the model's columns want of serialized Examples."""
        given = self._model_fn.keywords
        kinds = (given.get(name) or () for name in ("columns", "linear_columns", "deep_columns"))
        return parse_feature_columns_from_examples(
            examples, [each for kind in kinds for each in kind]
        )


class Classifier(TellingOne, ClassesAndChances):
    """An estimator whose predictions are classes."""

    _told_by = "predict_classes"
    _prediction_key = PredictionKey.PROBABILITIES

    def _default_signature_fn(self) -> SignatureFn:
        return classification_signature_fn_with_prob


class Regressor(TellingOne):
    """An estimator whose predictions are numbers."""

    _told_by = "predict_scores"
    _prediction_key = PredictionKey.SCORES

    def _default_signature_fn(self) -> SignatureFn:
        return regression_signature_fn

    def predict_scores(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The numbers of examples, one after the other or as an array."""
        return self._only(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)


def _each(rows: Iterator[Any], key: str) -> Iterator[Any]:
    for row in rows:
        yield row[key]
