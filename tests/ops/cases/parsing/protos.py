"""Rows for messages of any type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2

from tests.ops.program import Inputs, Program, Step, fails, infers, run

ONE = ("float32",)
REFUSED = "InvalidArgumentError"
_TEXT = """
name: "rows.proto" package: "rows" syntax: "proto2"
enum_type { name: "Kind" value { name: "A" number: 0 } value { name: "B" number: 5 } }
message_type {
  name: "M"
  field { name: "i" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 default_value: "7" }
  field { name: "r" number: 2 label: LABEL_REPEATED type: TYPE_INT64 options { packed: true } }
  field { name: "s" number: 3 label: LABEL_OPTIONAL type: TYPE_STRING default_value: "dd" }
  field { name: "f" number: 4 label: LABEL_REPEATED type: TYPE_FLOAT }
  field { name: "m" number: 5 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".rows.M" }
  field { name: "b" number: 7 label: LABEL_OPTIONAL type: TYPE_BOOL }
  field { name: "e" number: 8 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".rows.Kind"
          default_value: "B" }
  field { name: "u" number: 9 label: LABEL_OPTIONAL type: TYPE_UINT32 }
  field { name: "uu" number: 10 label: LABEL_OPTIONAL type: TYPE_UINT64 }
  field { name: "si" number: 11 label: LABEL_OPTIONAL type: TYPE_SINT32 }
  field { name: "fx" number: 12 label: LABEL_OPTIONAL type: TYPE_FIXED64 }
  field { name: "d" number: 13 label: LABEL_OPTIONAL type: TYPE_DOUBLE default_value: "2.5" }
  field { name: "by" number: 14 label: LABEL_REPEATED type: TYPE_BYTES }
  field { name: "np" number: 15 label: LABEL_REPEATED type: TYPE_INT32 }
  extension_range { start: 100 end: 200 }
}
extension { name: "ext" number: 101 label: LABEL_OPTIONAL type: TYPE_SFIXED32 extendee: ".rows.M" }
"""


def _source() -> bytes:
    from google.protobuf import text_format

    files = descriptor_pb2.FileDescriptorSet()
    text_format.Parse(_TEXT, files.file.add())
    return b"bytes://" + files.SerializeToString()


_KNOWN: dict[str, Any] = {"descriptor_source": _source(), "message_type": "rows.M"}
_FULL = (
    b"\x08\x03\x12\x03\x01\x02\x03\x1a\x01x\x25\x00\x00\xc0\x3f\x2a\x02\x08\x09\x38\x01\x40\x00"
    b"\x48\xff\xff\xff\xff\x0f\x50\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x58\x07"
    b"\x61\x09\x00\x00\x00\x00\x00\x00\x00\x72\x01q\x72\x02ww\x78\x04\x7a\x02\x05\x06"
    b"\xad\x06\xfe\xff\xff\xff\xd3\x06\x08\x09\xd4\x06"
)
"""All fields, one of them packed where it need not be, and a group that nobody knows."""


def _decoded(tf: Any, v: Inputs) -> Iterator[Step]:
    types = {
        "i": tf.int64,
        "r": tf.int64,
        "s": tf.string,
        "f": tf.float64,
        "m": tf.string,
        "b": tf.bool,
        "e": tf.int32,
        "u": tf.uint64,
        "uu": tf.uint64,
        "si": tf.int32,
        "fx": tf.uint64,
        "d": tf.float64,
        "by": tf.string,
        "np": tf.int32,
        "rows.ext": tf.int32,
    }

    def decoded(messages: Any, names: Any = None, **changed: Any) -> Any:
        chosen = types if names is None else {name: types[name] for name in names}
        attrs = {
            "field_names": list(chosen),
            "output_types": list(chosen.values()),
            **_KNOWN,
            **changed,
        }
        sizes, values = tf.raw_ops.DecodeProtoV2(bytes=messages, **attrs)
        return sizes, *values

    some = np.array([[_FULL, b"\x78\x07"], [b"", b"\x12\x00"]], object)
    fed = v.hidden(some, object)
    yield run(*decoded(fed))
    yield run(*decoded(fed, ["r", "m"], sanitize=True))
    yield run(*decoded(fed, []))
    text = v.hidden(np.array(["i: 4 r: 3 r: 9", "s: 'a' [rows.ext]: -2"], object), object)
    yield run(*decoded(text, ["i", "r", "s", "rows.ext"], message_format="text"))
    features = np.array([b"\x0a\x05\x0a\x01a\x12\x00"], object)
    yield run(*tf.io.decode_proto(features, "tensorflow.Features", ["feature"], [tf.string]).values)
    yield infers(*decoded(v.fed(some, object), ["i"]))
    for messages, changed, error, message in (
        ([b"\xff\xff"], {}, "DataLossError", "Failed to consume entire buffer"),
        ([b"\x12\x09\x01"], {}, "DataLossError", ""),
        ([b"i: x"], {"message_format": "text"}, "DataLossError", "Unable to parse text"),
        (np.zeros(0, object), {}, REFUSED, "at least one value"),
        ([b""], {"message_format": "json"}, REFUSED, "one of binary or text"),
        ([b""], {"message_type": "rows.N"}, REFUSED, "No descriptor found for message type rows.N"),
        ([b""], {"descriptor_source": "/nowhere"}, REFUSED, "Source does not represent"),
        ([b""], {"field_names": ["ext"]}, REFUSED, "Unknown field: ext in message type rows.M"),
        ([b""], {"output_types": [tf.float32]}, REFUSED, "rows.M.r: int64 to DT_FLOAT"),
        ([b""], {"field_names": ["r", "i"]}, REFUSED, "must have the same length"),
    ):
        given = v.hidden(np.array(messages, object), object)
        yield fails(error, message, *decoded(given, ["r"], **changed))


def _encoded(tf: Any, v: Inputs) -> Iterator[Step]:
    def encoded(sizes: Any, **values: Any) -> Any:
        arrays = [np.array(value, dtype) for value, dtype in values.values()]
        return tf.raw_ops.EncodeProto(
            sizes=v.hidden(sizes, np.int32),
            values=[v.hidden(array, array.dtype) for array in arrays],
            field_names=list(values),
            **_KNOWN,
        )

    # TensorFlow writes in the order of numbers, whatever the order of names.
    yield run(
        encoded(
            [[2, 1, 1], [1, 0, 1]],
            r=([[1, -2], [3, 4]], np.int64),
            i=([[1], [2]], np.int32),
            s=([["a"], ["b"]], object),
        )
    )
    yield run(
        encoded(
            [[1] * 7],
            e=([[5]], np.int32),
            b=([[True]], bool),
            si=([[-5]], np.int32),
            fx=([[5]], np.uint64),
            d=([[0.5]], np.float64),
            f=([[0.25]], np.float32),
            uu=([[2**64 - 1]], np.uint64),
        )
    )
    yield run(encoded([[2]], np=([[1, -2]], np.int32)))
    yield run(encoded([[1]], m=([[b"\x08\x05"]], object)))
    yield run(encoded(np.zeros((0, 1)), i=(np.zeros((0, 1)), np.int32)))
    one = ([[1]], np.int32)
    yield fails(REFUSED, "must not be larger than value tensor", encoded([[2]], i=one))
    yield fails(REFUSED, r"Saw: \[1,2\] but expected: \[1,1\]", encoded([[1, 1]], i=one))
    yield fails(REFUSED, "Saw dtype: float but field type", encoded([[1]], i=([[1]], np.float32)))


PROGRAMS = [Program("DecodeProtoV2", _decoded, ONE), Program("EncodeProto", _encoded, ONE)]
