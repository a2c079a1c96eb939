"""Operators of the survey on data of particular kinds: sequences, sparse tensors, sets, texts,
images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from survey.program import Numbers, Operator, below, normal, positive

_FRAMES, _SEQUENCES, _CLASSES, _WORDS = 100, 16, 40, 15
_PLACES = (500, 400)


def _texts(*shape: int) -> Numbers:
    """Texts of a dozen words."""
    words = ("Alpha", "beta,", "GAMMA!", "delta", "x-ray", "12")
    return lambda random: np.array(
        [" ".join(random.choice(words, 12)) for _ in range(int(np.prod(shape)))], object
    ).reshape(shape)


def _coordinates(count: int) -> Numbers:
    """Places of a sparse matrix, in order."""

    def make(random: np.random.Generator) -> np.ndarray:
        flat = np.sort(random.choice(_PLACES[0] * _PLACES[1], count, replace=False))
        return np.stack(np.unravel_index(flat, _PLACES), axis=1)

    return make


def _sequences() -> Iterator[Operator]:
    logits = normal(_FRAMES, _SEQUENCES, _CLASSES)
    places = np.array([(b, i) for b in range(_SEQUENCES) for i in range(_WORDS)], np.int64)
    shape, lengths = [_SEQUENCES, _WORDS], [_FRAMES] * _SEQUENCES
    words = below(_CLASSES - 1, _SEQUENCES * _WORDS)

    def sparse(tf: Any, values: Any) -> Any:
        return tf.SparseTensor(places, values, shape)

    yield Operator(
        "CTC loss",
        [logits, words],
        lambda tf, x, said: tf.nn.ctc_loss(sparse(tf, said), x, lengths),
    )
    for name in ("ctc_greedy_decoder", "ctc_beam_search_decoder"):
        yield Operator(
            name,
            [logits],
            lambda tf, x, name=name: getattr(tf.nn, name)(x, lengths)[0][0].values,
            differentiable=False,
        )
    yield Operator(
        "edit distance",
        [words, words],
        lambda tf, a, b: tf.edit_distance(sparse(tf, a), sparse(tf, b)),
        differentiable=False,
    )
    yield Operator(
        "reversed sequences",
        [normal(64, 50, 64)],
        lambda tf, x: tf.reverse_sequence(x, [30] * 64, seq_axis=1, batch_axis=0),
    )


def _sparse_tensors() -> Iterator[Operator]:
    operands = [_coordinates(4000), normal(4000)]
    calls = {
        "added": lambda tf, x: tf.sparse_add(x, x).values,
        "put in order": lambda tf, x: tf.sparse_reorder(x).values,
        "summed up": lambda tf, x: tf.sparse_reduce_sum(x, 1),
        "transposed": lambda tf, x: tf.sparse_transpose(x).values,
        "concatenated": lambda tf, x: tf.sparse_concat(1, [x, x]).values,
        "made dense": lambda tf, x: tf.sparse_tensor_to_dense(x),
        "softmax": lambda tf, x: tf.sparse_softmax(x).values,
        "cut": lambda tf, x: tf.sparse_slice(x, [10, 10], [300, 300]).values,
        "times a matrix": lambda tf, x: tf.sparse_tensor_dense_matmul(
            x, tf.ones([_PLACES[1], 64]) + x.values[0]
        ),
    }
    for name, call in calls.items():
        yield Operator(
            f"a sparse tensor {name}",
            operands,
            lambda tf, at, x, call=call: call(tf, tf.SparseTensor(at, x, _PLACES)),
            differentiable=False,
        )
    for name in ("intersection", "union", "difference"):
        yield Operator(
            f"{name} of sets",
            [below(50, 500, 8), below(50, 500, 8)],
            lambda tf, a, b, name=name: getattr(tf.sets, name)(a, b).values,
            differentiable=False,
        )


def _text() -> Iterator[Operator]:
    calls = {
        "replaced letters": lambda tf, x: tf.strings.regex_replace(x, "[^a-zA-Z ]", ""),
        "replaced groups": lambda tf, x: tf.strings.regex_replace(x, "([a-z]+),", r"<\1>"),
        "split texts": lambda tf, x: tf.string_split(x).values,
        "lower case": lambda tf, x: tf.strings.lower(x),
        "parts of texts": lambda tf, x: tf.strings.substr(x, 2, 5),
    }
    for name, call in calls.items():
        # Numbers are compared.
        yield Operator(
            name,
            [_texts(500)],
            lambda tf, x, call=call: tf.strings.length(call(tf, x)),
            differentiable=False,
        )
    yield Operator(
        "hashed texts",
        [_texts(500)],
        lambda tf, x: tf.string_to_hash_bucket_fast(x, 1000),
        differentiable=False,
    )


def _images() -> Iterator[Operator]:
    images = [normal(8, 64, 64, 3)]
    calls = {
        "bilinear": lambda tf, x: tf.image.resize_bilinear(x, [100, 100]),
        "bicubic": lambda tf, x: tf.image.resize_bicubic(x, [100, 100]),
        "nearest": lambda tf, x: tf.image.resize_nearest_neighbor(x, [100, 100]),
        "patches": lambda tf, x: tf.extract_image_patches(
            x, [1, 5, 5, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"
        ),
        "total variation": lambda tf, x: tf.image.total_variation(x),
    }
    for name, call in calls.items():
        yield Operator(f"images: {name}", images, call)
    calls = {
        "area": lambda tf, x: tf.image.resize_area(x, [32, 32]),
        "hue": lambda tf, x: tf.image.adjust_hue(x, 0.1),
        "saturation": lambda tf, x: tf.image.adjust_saturation(x, 0.5),
        "structural similarity": lambda tf, x: tf.image.ssim(x, x * 0.9, 1.0),
        "dilation": lambda tf, x: tf.raw_ops.Dilation2D(
            input=x,
            filter=tf.zeros([3, 3, 3]),
            strides=[1] * 4,
            rates=[1] * 4,
            padding="SAME",
        ),
        "places of maxima": lambda tf, x: tf.nn.max_pool_with_argmax(
            x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"
        )[1],
    }
    for name, call in calls.items():
        yield Operator(f"images: {name}", images, call, differentiable=False)
    yield Operator(
        "suppressed boxes",
        [positive(500, 2), positive(500)],
        lambda tf, x, scores: tf.image.non_max_suppression(tf.concat([x, x + 0.2], 1), scores, 20),
        differentiable=False,
    )


DATA: tuple[Operator, ...] = (*_sequences(), *_sparse_tensors(), *_text(), *_images())
