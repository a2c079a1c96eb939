"""The row for examples written as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.cases.parsing.messages import strings
from tests.ops.program import Inputs, Program, Step, fails, infers, run

WRITTEN = (
    b'{"features": {"feature": {"a": {"int64List": {"value": ["1", -200]}}}}}',
    b'{"features": {"feature": {"b": {"float_list": {"value": [1.5, "NaN"]}}, "a": {}}}}',
    b'{"features": {"feature": {"c": {"bytesList": {"value": ["YWI="]}}}}}',
    b'{"features": null}',
    b"{}",
)


def json_examples(tf: Any, v: Inputs) -> Iterator[Step]:
    """The bytes may differ, as the order of features may; what is read from them does not."""
    binary = tf.io.decode_json_example(v.known(strings(*WRITTEN)))
    kinds = {"a": tf.int64, "b": tf.float32, "c": tf.string}
    read = tf.io.parse_example(
        binary, {key: tf.io.VarLenFeature(kind) for key, kind in kinds.items()}
    )
    yield infers(binary)
    for key in kinds:
        yield run(*(getattr(read[key], part) for part in ("indices", "values", "dense_shape")))
    for wrong in (b"{", b"[]", b'{"x": 1}', b"", b"[" * 5000):
        bad = tf.io.decode_json_example(v.known(strings(wrong)))
        yield fails("InvalidArgumentError", "Error while parsing JSON: ", bad)


PROGRAMS = [Program("DecodeJSONExample", json_examples, ("string",))]
