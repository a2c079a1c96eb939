"""The tests by which nodes send examples to the left, as columns of arrays and as messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.tensor_forest.examples import CATEGORICAL, Examples
from dataflow.proto.generic_tree_model_extensions_pb2 import MatchingValuesTest
from dataflow.proto.generic_tree_model_pb2 import BinaryNode, FeatureId, InequalityTest

AT_MOST: Final = 0
BELOW: Final = 1
EQUAL: Final = 2
OTHER: Final = 3
"""Of what arrays have no columns for: its message says all of it."""

MATCHING_URL: Final = "type.googleapis.com/tensorflow.decision_trees.MatchingValuesTest"

Decide = Callable[[Examples, np.ndarray], np.ndarray]


class NodeTest(NamedTuple):
    """What sends an example to the left."""

    kind: int
    feature: int
    threshold: float
    decide: Decide | None = None
    """For `OTHER`: whether rows of examples go to the left."""


def decide(kinds: np.ndarray, values: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Whether values pass tests of the three kinds that have columns."""
    first = kinds.flat[0] if kinds.size else AT_MOST
    passed: np.ndarray
    if (kinds == first).all():
        compare = {AT_MOST: np.less_equal, BELOW: np.less}.get(int(first), np.equal)
        passed = compare(values, thresholds)
        return passed
    passed = np.where(kinds == EQUAL, values == thresholds, values < thresholds)
    passed |= (kinds == AT_MOST) & (values == thresholds)
    return passed


def kind_of(data_type: int, inequality: int) -> int:
    """The kind of test that a feature's type gets."""
    if data_type == CATEGORICAL:
        return EQUAL
    return AT_MOST if inequality == InequalityTest.LESS_OR_EQUAL else BELOW


def write_test(
    node: BinaryNode, kind: int, feature: int, threshold: float, inequality: int
) -> None:
    """Puts a test that has columns into a message."""
    if kind == EQUAL:
        test = MatchingValuesTest()
        test.feature_id.id.value = str(feature)
        test.value.add().float_value = threshold
        # The name is TensorFlow's: files of both are the same.
        node.custom_left_child_test.type_url = MATCHING_URL
        node.custom_left_child_test.value = test.SerializeToString()
        return
    made = node.inequality_left_child_test
    made.feature_id.id.value = str(feature)
    made.threshold.float_value = threshold
    if kind == AT_MOST:
        made.type = InequalityTest.LESS_OR_EQUAL
    else:
        made.type = (
            InequalityTest.LESS_THAN if inequality == InequalityTest.LESS_OR_EQUAL else inequality  # type: ignore[assignment]
        )


def read_test(node: BinaryNode, place: str) -> NodeTest:
    """The test of a message.

    Args:
      node: The message.
      place: Which node it is, for errors.

    Raises:
      InvalidArgumentError: There is none that can be read.
    """
    if node.HasField("inequality_left_child_test"):
        return _of_inequality(node.inequality_left_child_test, place)
    custom = node.custom_left_child_test
    if custom.type_url.rpartition(".")[2] != "MatchingValuesTest":
        raise invalid(f"Unknown split test of {place}: {node}")
    try:
        test = MatchingValuesTest.FromString(custom.value)
    except DecodeError:
        raise invalid(f"Unknown split test of {place}: {node}") from None
    feature = _number(test.feature_id, place)
    values = np.array([value.float_value for value in test.value], np.float32)
    if len(values) == 1 and not test.inverse:
        return NodeTest(EQUAL, feature, float(values[0]))
    inverse = test.inverse

    def matches(examples: Examples, rows: np.ndarray) -> np.ndarray:
        found = examples.values(rows, np.full(len(rows), feature))
        passed: np.ndarray = np.isin(found, values) != inverse
        return passed

    return NodeTest(OTHER, feature, 0.0, matches)


def _of_inequality(test: InequalityTest, place: str) -> NodeTest:
    threshold = np.float32(test.threshold.float_value)
    if not test.HasField("oblique"):
        feature = _number(test.feature_id, place)
        if test.type in (InequalityTest.LESS_OR_EQUAL, InequalityTest.LESS_THAN):
            kind = AT_MOST if test.type == InequalityTest.LESS_OR_EQUAL else BELOW
            return NodeTest(kind, feature, float(threshold))

        # TensorFlow's nodes know two inequalities; the others are taken for the second.
        def is_below(examples: Examples, rows: np.ndarray) -> np.ndarray:
            less: np.ndarray = examples.values(rows, np.full(len(rows), feature)) < threshold
            return less

        return NodeTest(OTHER, feature, float(threshold), is_below)
    features = [_number(each, place) for each in test.oblique.features]
    weights = np.array(test.oblique.weights, np.float32)
    if len(features) != len(weights):
        raise invalid(f"{len(features)} features and {len(weights)} weights in {place}")

    def is_on_the_left(examples: Examples, rows: np.ndarray) -> np.ndarray:
        total = np.zeros(len(rows), np.float32)
        for feature, weight in zip(features, weights, strict=True):
            total += weight * examples.values(rows, np.full(len(rows), feature))
        at_most: np.ndarray = total <= threshold
        return at_most

    return NodeTest(OTHER, 0, float(threshold), is_on_the_left)


def _number(feature: FeatureId, place: str) -> int:
    try:
        return int(feature.id.value or 0)
    except ValueError:
        raise invalid(f"{place} tests a feature {feature.id.value!r} that is no number") from None


def features_of(node: BinaryNode) -> list[int]:
    """The features that a node looks at."""
    if node.HasField("inequality_left_child_test"):
        test = node.inequality_left_child_test
        if test.HasField("oblique"):
            return [_number(each, "A node") for each in test.oblique.features]
        return [_number(test.feature_id, "A node")] if test.HasField("feature_id") else []
    return [
        _number(MatchingValuesTest.FromString(node.custom_left_child_test.value).feature_id, "")
    ]
