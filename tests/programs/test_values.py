"""Values of every kind: numpy mixed with tensors, integers, booleans, strings, indexing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.both import assert_same_program


def test_numpy_meets_tensors() -> None:
    """Operators with arrays, lists, numpy scalars and variables on either side."""

    def program(tf: Any) -> Any:
        t = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="t")
        v = tf.Variable([[1.0, -1.0], [0.5, 2.0]], name="v")
        i = tf.constant([7, -7, 3])
        three, three_numbers = 3, [1, 2, 3]
        array = np.array([[2.0, 0.5], [1.0, -3.0]], dtype=np.float32)
        results = [
            np.float32(2) * t,
            t * np.float32(2),
            np.float64(0.5) * t,
            array + t,
            t - array,
            tf.matmul(array, t),
            [1.0, 2.0] * t,
            t / [2.0, 4.0],
            2 / t,
            1 - v,
            v + v,
            v * array,
            array * v,
            -v,
            abs(v),
            v**2,
            2.0**v,
            t @ v,
            v @ [[1.0], [1.0]],
            t // 2,
            t % 3,
            7 % t,
            7.5 // t,
            i // 2,
            i % 4,
            i / 2,
            2 // i,
            i * 2 - i,
            np.int32(3) + i,
            i > 0,
            i >= np.array([7, 0, 3]),
            t < v,
            three <= i,
            (i > 0) & (i < 5),
            (i > 0) | (i < -5),
            (i > 0) ^ (i < 5),
            ~(i > 0),
            True & (i > 0),
            tf.to_double(t) * 1.5,
            tf.cast(i, tf.int8) * np.int8(2),
            tf.add(t, v),
            tf.constant(np.arange(6).reshape(2, 3)) + 1,
            tf.convert_to_tensor([t[0, 0], 5.0]),
            tf.stack([v[0], [9.0, 9.0], array[1]]),
            tf.convert_to_tensor(np.float16([1, 2])),
            tf.constant(3, shape=[2, 2]),
            tf.fill([2], np.int64(4)),
        ]
        kinds = [(r.dtype, r.shape, r.op.type) for r in results]
        out = []
        for make in (
            lambda: t + i,
            lambda: i + 1.5,
            lambda: t + three_numbers,
            lambda: tf.constant([1, "a"]),
            lambda: tf.constant([[1], [2, 3]]),
            lambda: t + "text",
            lambda: tf.matmul(t, [1.0, 2.0]),
            lambda: tf.constant(1.5, tf.int32),
            lambda: tf.convert_to_tensor(t, tf.int32),
            lambda: tf.constant(None),
            lambda: tf.constant(300, tf.uint8),
            lambda: t + None,
            lambda: tf.constant([]) + tf.constant([], tf.int32),
        ):
            try:
                make()
                out.append("made")
            except (TypeError, ValueError) as e:
                out.append(type(e).__name__)
        with tf.Session() as sess:
            sess.run(v.initializer)
            return kinds, sess.run(results), out, tf.get_default_graph()

    assert_same_program(program)


def test_indexing() -> None:
    """Slices, ellipses, new axes, tensors as bounds, assignment to slices."""

    def program(tf: Any) -> Any:
        a = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
        t = tf.constant(a)
        p = tf.placeholder(tf.int32, [None, 4, None])
        n = tf.constant(2)
        v = tf.Variable(np.arange(6.0).reshape(2, 3), name="v")
        results = [
            t[0],
            t[-1, 1:3],
            t[..., 2],
            t[:, tf.newaxis, ::2, 4:1:-1],
            t[1, 2, 3],
            t[n - 1],
            t[: n + 1, n],
            t[n:],
            p[1:, ..., -1],
            p[0, :, :n],
            t[::-1],
            t[5:],
            v[1, :2],
            v[:, None],
            tf.strided_slice(t, [0, 1, 2], [3, 3, 5], [2, 1, 2]),
            tf.slice(t, [1, 0, 0], [1, -1, 2]),
            tf.gather(t, [2, 0], axis=1),
            tf.gather_nd(t, [[0, 1], [2, 3]]),
        ]
        kinds = [(r.dtype, r.shape) for r in results]
        change = v[0, 1:].assign([10.0, 20.0])
        bad = []
        for make in (lambda: t["a"], lambda: t[0, 0, 0, 0], lambda: t[1.5], lambda: t[3]):
            try:
                make()
                bad.append("made")
            except (TypeError, ValueError, IndexError) as e:
                bad.append((type(e).__name__, str(e).split(" for '{{node")[0]))
        with tf.Session() as sess:
            sess.run(v.initializer)
            values = sess.run(results, {p: a})
            sess.run(change)
            return kinds, values, bad, sess.run(v), tf.get_default_graph()

    assert_same_program(program)


def test_strings_and_booleans() -> None:
    """String tensors through placeholders, comparison, selection, variables; logic and masks."""

    def program(tf: Any) -> Any:
        words = tf.constant([["one", b"two"], ["thr\u00e9e", ""]])
        fed = tf.placeholder(tf.string, [None])
        kept = tf.Variable("start", name="kept")
        mask = tf.constant([[True, False], [False, True]])
        results = {
            "words": words,
            "shape": tf.shape(words),
            "picked": tf.gather(words, [1]),
            "joined": tf.concat([words, words], 0),
            "padded": tf.string_join([tf.pad(tf.constant("a"), np.zeros([0, 2], np.int32)), "b"]),
            "equal": tf.equal(words, "two"),
            "chosen": tf.where(mask, words, tf.fill([2, 2], "no")),
            "masked": tf.boolean_mask(words, mask),
            "reshaped": tf.reshape(words, [-1])[1:3],
            "fed": tf.identity(fed),
            "stacked": tf.stack([fed, fed], axis=1),
            "unique": tf.unique(tf.constant([3, 1, 3, 2, 1])),
            "where": tf.where(mask),
            "any": tf.reduce_any(mask, 0),
            "all": tf.reduce_all(mask),
            "not": tf.logical_not(mask),
            "xor": tf.logical_xor(mask, True),
            "count": tf.count_nonzero(mask),
            "ints": tf.cast(mask, tf.uint8),
            "back": tf.cast([0, 2, -1], tf.bool),
            "transposed": tf.transpose(words),
            "expanded": tf.expand_dims(words, 1),
        }
        kinds = {key: getattr(r, "dtype", None) for key, r in results.items()}
        with tf.Session() as sess:
            sess.run(kept.initializer)
            feed = {fed: np.array(["a", "b\u00fc"])}
            values = sess.run(results, feed)
            again = sess.run(results["fed"], {fed: [b"x\x00y", "z"]})
            changed = sess.run(tf.assign(kept, "end"))
            return kinds, values, again, changed, sess.run(kept), tf.get_default_graph()

    assert_same_program(program)


def test_integers_of_every_width() -> None:
    """Wrap-around, floors of negative numbers, ranges, histograms, casts between types."""

    def program(tf: Any) -> Any:
        out = {}
        for name in ("uint8", "int8", "int16", "int32", "int64", "float16", "float64"):
            dtype = tf.as_dtype(name)
            x = tf.constant([100, 27, 3], dtype)
            y = tf.constant([2, 5, 2], dtype)
            out[name] = [
                x + y,
                x * y,
                x - y,
                x // y,
                x % y,
                tf.maximum(x, y),
                tf.reduce_sum(x),
                tf.reduce_max(x),
                tf.cast(x, tf.float32),
                tf.cast(tf.constant([1.9, -1.9, 120.0]), dtype if name != "uint8" else tf.int8),
                tf.argmax(x),
                tf.zeros_like(x),
                tf.one_hot([1, 0], 3, dtype=dtype),
                tf.equal(x, y),
            ]
        out["range"] = [tf.range(5), tf.range(3, 18, 3), tf.range(1.0, 0.0, -0.25)]
        out["more"] = [
            tf.cumsum([1, 2, 3], exclusive=True),
            tf.cumprod([1, 2, 3], reverse=True),
            tf.bincount([1, 2, 2, 5]),
            tf.histogram_fixed_width([0.1, 0.5, 0.9, 2.0], [0.0, 1.0], nbins=4),
            tf.nn.top_k([3, 9, 1], 2).indices,
            tf.floormod(-7, 3),
            tf.truediv(-7, 3),
            tf.floordiv(-7, 3),
            tf.truncatediv(-7, 3),
            tf.div(-7, 3),
            tf.mod(-7.5, 2.0),
            tf.pow(2, [1, 2, 10]),
            tf.bitcast(np.float32(1.0), tf.int32),
            tf.linspace(0.0, 1.0, 5),
            tf.sequence_mask([1, 3], 4),
            tf.tile([[1, 2]], [2, 2]),
            tf.reverse([1, 2, 3], [0]),
            tf.segment_sum([5, 1, 4], [0, 0, 1]),
            tf.scatter_nd([[1], [3]], [9, 10], [5]),
            tf.invert_permutation([2, 0, 1]),
            tf.pad([[1]], [[1, 0], [0, 1]], constant_values=7),
            tf.meshgrid([1, 2], [3, 4, 5]),
            tf.einsum("ij,jk->ik", tf.constant([[1, 2]]), tf.constant([[3], [4]])),
            tf.rank(tf.zeros([2, 3, 4])),
            tf.size([[1, 2], [3, 4]]),
            tf.norm([3.0, 4.0]),
            tf.setdiff1d([1, 2, 3], [2]),
        ]
        with tf.Session() as sess:
            return sess.run(out), tf.get_default_graph()

    assert_same_program(program)
