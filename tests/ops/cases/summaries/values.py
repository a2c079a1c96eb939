"""Rows for ops that make summaries; what images look like is in tests/kernels/summaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import REAL
from tests.ops.early import make_old
from tests.ops.program import Inputs, Program, Step, fails, refused_alike, run

INVALID = "InvalidArgumentError"


def _text(*items: Any) -> np.ndarray:
    return np.array(items[0] if len(items) == 1 else items, object)


def _scalars(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, tag, tags = tf.raw_ops, v.fed(_text(b"a/b")), v.fed(_text(b"x", b"\xc3\xa9", b""))
    numbers = v.fed([0, 1, 7])
    yield run(
        raw.ScalarSummary(tags=tag, values=v.fed(5)),
        raw.ScalarSummary(tags=tags, values=numbers),
        raw.ScalarSummary(tags="known", values=v.array(3)),
    )
    for names, values in ((tag, numbers), (tags, v.fed([1])), (v.fed(_text([b"a"])), v.fed(1))):
        text = "tags and values are not the same shape: "
        yield fails(INVALID, text, raw.ScalarSummary(tags=names, values=values))


def _extremes(tf: Any, v: Inputs) -> Iterator[Step]:
    limits = np.finfo(v.dtype) if v.dtype.kind == "f" else np.iinfo(v.dtype)
    for number in (limits.min, limits.max):
        yield run(tf.raw_ops.ScalarSummary(tags="a", values=v.fed(np.asarray(number, v.dtype))))


def _histograms(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, tag = tf.raw_ops, v.fed(_text(b"a"))
    random = np.random.default_rng(1)
    for values in (
        v.array(random.integers(0, 100, [40, 50])),
        v.array([[0, 1, 1, 2]]),
        v.array(3),
        v.array([]),
    ):
        yield run(raw.HistogramSummary(tag=tag, values=v.fed(values)))
    yield fails(INVALID, "tags must be scalar", raw.HistogramSummary(tag=["a"], values=v.fed(1)))


def _spread(tf: Any, v: Inputs) -> Iterator[Step]:
    """Values of both signs, on the limits of buckets, and beyond the last but one of them."""
    random = np.random.default_rng(2)
    spread = random.normal(size=3000) * 10.0 ** random.uniform(-14, 22, 3000)
    limits = 1e-12 * 1.1 ** np.arange(500)
    raw = tf.raw_ops
    for values in (spread, limits, -limits, [1e30, -1e30], [-0.0, 1e-13, -1e-13]):
        yield run(raw.HistogramSummary(tag="a", values=v.fed(v.array(values))))
    for wrong, text in (
        ([1, np.nan, np.inf], "Nan in summary histogram for: .*HistogramSummary"),
        ([1, -np.inf, np.nan], "Infinity in Histogram for: .*HistogramSummary"),
    ):
        yield fails(INVALID, text, raw.HistogramSummary(tag="a", values=v.fed(v.array(wrong))))


def _images(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops

    def shown(shape: list[int], tag: Any = "a", **options: Any) -> Any:
        return raw.ImageSummary(tag=tag, tensor=v.fed(v.array(np.ones(shape))), **options)

    def color(value: Any) -> Any:
        return tf.make_tensor_proto(np.array(value))

    yield run(shown([0, 2, 2, 3]), shown([0, 2, 2, 1], max_images=1))
    yield fails(INVALID, "Tensor must be 4-D with last dim 1, 3, or 4, not", shown([2, 2, 2, 2]))
    yield fails(INVALID, "Tensor must be 4-D with last dim 1, 3, or 4, not", shown([2, 2, 1]))
    yield fails(INVALID, "Tags must be a scalar", shown([1, 1, 1, 1], ["a"]))
    wrong = "bad_color must be a vector, got shape", "bad_color must be uint8, got int64"
    yield fails(INVALID, wrong[0], shown([1, 1, 1, 1], bad_color=color(np.uint8(1))))
    yield fails(INVALID, wrong[1], shown([1, 1, 1, 1], bad_color=color([1, 2])))
    if v.dtype == np.uint8:
        text = "input tensor must have non-zero dims. Found: \\[2, 0, 3, 1\\]"
        yield fails(INVALID, text, shown([2, 0, 3, 1]))
    else:
        text = "expected depth <= bad_color.size, got depth = 3, bad_color.size = 2"
        yield fails(INVALID, text, shown([1, 1, 1, 3], bad_color=color(np.uint8([1, 2]))))


def _audio(tf: Any, v: Inputs) -> Iterator[Step]:
    random = np.random.default_rng(3)

    def heard(clips: Any, rate: Any, tag: Any = "a", **options: Any) -> Any:
        return tf.raw_ops.AudioSummaryV2(
            tag=tag, tensor=v.fed(clips, v.dtype), sample_rate=v.fed(rate, v.dtype), **options
        )

    halves = (np.arange(-9, 9) + 0.5) / 32768
    ends = [np.nan, np.inf, -np.inf, 3, -3, 1, -1, 0.99999, 0.49999997 / 32768]
    yield run(
        heard(random.uniform(-1.2, 1.2, [4, 30, 2]), 44100.0),
        heard(random.uniform(-1, 1, [2, 30]), [8000.4], max_outputs=1),
        heard([[*halves, *ends]], 0.5, max_outputs=1),
        heard(np.zeros([2, 0, 2]), 1.5),
        heard(np.zeros([0, 5, 2]), 10.7),
    )
    clips = np.zeros([1, 2, 1])
    for text, wrong in (
        ("Tensor must be 3-D or 2-D, got: \\[3\\]", heard(np.zeros(3), 1)),
        ("sample_rate must be > 0", heard(clips, 0)),
        ("sample_rate must be > 0", heard(clips, -1)),
        ("sample_rate must be > 0", heard(clips, np.nan)),
        ("sample_rate must be in \\(0, 2\\^32\\), got: 9223372036854775808", heard(clips, np.inf)),
        ("sample_rate must be in \\(0, 2\\^32\\), got: 5000000000", heard(clips, 5e9)),
        ("sample_rate must be rank-0 or contain a single value", heard(clips, [1, 2])),
        ("num_channels must be in \\(0, 2\\^16\\), got: 70000", heard(np.zeros([1, 1, 70000]), 1)),
        ("Tag must be a scalar", heard(clips, 1, ["a"])),
    ):
        yield fails(INVALID, text, wrong)


def _early_audio(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, tag = make_old(tf, 14), v.fed(_text(b"a"))

    def heard(clips: Any, rate: Any = 8000.0) -> Any:
        return raw.AudioSummary(tag=tag, tensor=v.fed(np.float32(clips)), sample_rate=rate)

    yield run(heard(np.linspace(-1, 1, 12).reshape(2, 3, 2)), heard(np.zeros([5, 2]), 10.7))
    yield fails(INVALID, "Tensor must be 3-D or 2-D, got: \\[3\\]", heard(np.zeros(3)))


def _tensors(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, tag, x = tf.raw_ops, v.fed(_text(b"a")), v.fed(v.array([[1, 0, 1]]))
    description = tf.SummaryMetadata(
        plugin_data={"plugin_name": "text", "content": b"\0"}, display_name="shown"
    ).SerializeToString()

    def made(tensor: Any, metadata: Any = description, tag: Any = tag) -> Any:
        return raw.TensorSummaryV2(tag=tag, tensor=tensor, serialized_summary_metadata=metadata)

    yield run(
        raw.TensorSummary(tensor=x, description="{}", labels=["a"], display_name="b", name="named"),
        made(x),
        made(v.fed(v.array(1)), b""),
        made(v.fed(v.array([])), b""),
        made(v.fed(v.array(np.zeros([3, 0]))), b"\x12zz"),
        made(v.fed(_text(b"text", b"")), description),
        made(v.fed(_text(b"text"))),
    )
    yield fails(INVALID, "tag must be scalar", made(x, tag=["a"]))
    yield fails(INVALID, "serialized_summary_metadata must be scalar", made(x, [b""]))


def _merged(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    first, second = (raw.ScalarSummary(tags=tag, values=1.0) for tag in "ab")
    own = raw.TensorSummary(tensor=v.fed(1))
    yield run(
        raw.MergeSummary(inputs=[first, second, own, own]),
        raw.MergeSummary(inputs=[tf.stack([[first], [second]]), v.fed(_text(b""))]),
    )
    yield fails(INVALID, "Duplicate tag a found", raw.MergeSummary(inputs=[first, second, first]))
    damaged = raw.MergeSummary(inputs=[first, v.fed(_text(b"zzzz"))])
    yield fails(INVALID, "Could not parse one of the summary inputs", damaged)
    yield refused_alike(lambda: raw.MergeSummary(inputs=[]))


PROGRAMS = [
    Program("ScalarSummary", _scalars, dtypes=REAL),
    Program("ScalarSummary", _extremes, dtypes=("float64", "half", "int8", "int64", "uint64")),
    Program("HistogramSummary", _histograms, dtypes=REAL),
    Program("HistogramSummary", _spread, dtypes=("float64", "float32")),
    Program("ImageSummary", _images, dtypes=("uint8", "float32", "float64", "half")),
    Program("AudioSummaryV2", _audio, dtypes=("float32",)),
    Program("AudioSummary", _early_audio, dtypes=("float32",)),
    Program("TensorSummary TensorSummaryV2", _tensors, dtypes=("float32", "bool", "half", "int64")),
    Program("MergeSummary", _merged, dtypes=("float32",)),
]
