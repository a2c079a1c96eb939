"""Pipelines whose elements are compared with TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np


def slices_of_a_structure(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(
        (
            np.arange(4, dtype=np.int32),
            {"b": [1.0, 2.0, 3.0, 4.0], "a": [["x"], ["y"], ["z"], ["w"]]},
        )
    )


def one_element(tf: Any) -> Any:
    return tf.data.Dataset.from_tensors(([1, 2], "text"))


def ranges(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.range(3).concatenate(D.range(5, 2, -1)).concatenate(D.range(1, 9, 3))


def nothing(tf: Any) -> Any:
    return tf.data.Dataset.range(5, 5).repeat()


def mapped(tf: Any) -> Any:
    c = tf.constant(3, tf.int64)
    return tf.data.Dataset.range(5).map(lambda x: (x * c, {"s": tf.as_string(x)}))


def mapped_in_parallel(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(20)
        .map(lambda x: x + 1, num_parallel_calls=3)
        .map(lambda x: tf.cast(x, tf.float32) / 2.0, num_parallel_calls=-1)
    )


def mapped_with_loops(tf: Any) -> Any:
    def factorial(n: Any) -> Any:
        return tf.while_loop(
            lambda i, p: i < n, lambda i, p: (i + 1, p * (i + 1)), [np.int64(0), np.int64(1)]
        )[1]

    return (
        tf.data.Dataset.range(6)
        .map(factorial)
        .map(lambda x: tf.cond(x > 5, lambda: x * 2, lambda: x + 1))
    )


def random_in_map(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(3)
        .map(lambda x: tf.random_uniform([], 0, 100, tf.int32, seed=4))
        .repeat(3)
    )


def errors_in_map(tf: Any) -> Any:
    return tf.data.Dataset.range(5).map(
        lambda x: tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
    )


def errors_in_parallel_map(tf: Any) -> Any:
    return tf.data.Dataset.range(5).map(
        lambda x: tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad"), num_parallel_calls=2
    )


def errors_ignored(tf: Any) -> Any:
    return errors_in_map(tf).apply(tf.data.experimental.ignore_errors())


def filtered(tf: Any) -> Any:
    return tf.data.Dataset.range(10).filter(lambda x: tf.equal(x % 3, 1))


def filtered_pairs(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices((np.arange(5), np.arange(5) * 2)).filter(
        lambda a, b: a + b > 5
    )


def flat(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.range(4).flat_map(lambda x: D.from_tensors(x).repeat(x))


def interleaved(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(6 - x), 2, 3)


def interleaved_more(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.range(1, 8).interleave(lambda x: D.range(10 * x, 10 * x + x % 4), 3, 2)


def interleaved_in_parallel(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.range(1, 6).interleave(
        lambda x: D.from_tensors(x).repeat(6 - x), 2, 3, num_parallel_calls=2
    )


def interleaved_in_parallel_more(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.range(1, 8).interleave(
        lambda x: D.range(10 * x, 10 * x + x % 4), 3, 2, num_parallel_calls=3
    )


def interleaved_the_old_way(tf: Any) -> Any:
    """Of inputs that all hold something: where one is empty, TensorFlow's own order varies."""
    D = tf.data.Dataset
    return D.range(1, 8).apply(
        tf.data.experimental.parallel_interleave(
            lambda x: D.range(10 * x, 10 * x + x % 4 + 1), cycle_length=3, block_length=2
        )
    )


def batched(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices((np.arange(7), [b"%d" % i for i in range(7)])).batch(
        3
    )


def batched_and_dropped(tf: Any) -> Any:
    return tf.data.Dataset.range(7).batch(3, drop_remainder=True)


def batched_wrongly(tf: Any) -> Any:
    return tf.data.Dataset.range(1, 4).map(lambda x: tf.ones([x], tf.int32)).batch(2)


def padded(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(1, 6)
        .map(lambda x: (tf.fill([x], x), tf.fill([2, x], "s")))
        .padded_batch(2, ([None], [3, None]), (np.int64(-1), "pad"))
    )


def padded_by_default(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(1, 6)
        .map(lambda x: tf.fill([x], x))
        .padded_batch(4, padded_shapes=[7], drop_remainder=True)
    )


def padded_too_small(tf: Any) -> Any:
    return tf.data.Dataset.range(1, 6).map(lambda x: tf.fill([x], x)).padded_batch(4, [2])


def shuffled(tf: Any) -> Any:
    return tf.data.Dataset.range(12).shuffle(5, seed=3)


def shuffled_and_repeated(tf: Any) -> Any:
    return tf.data.Dataset.range(6).shuffle(4, seed=3).repeat(4)


def shuffled_alike(tf: Any) -> Any:
    return tf.data.Dataset.range(6).shuffle(9, seed=3, reshuffle_each_iteration=False).repeat(3)


def shuffled_by_the_graphs_seed(tf: Any) -> Any:
    return tf.data.Dataset.range(9).shuffle(9).concatenate(tf.data.Dataset.range(9).shuffle(4))


def shuffled_and_repeated_at_once(tf: Any) -> Any:
    return tf.data.Dataset.range(7).apply(tf.data.experimental.shuffle_and_repeat(10, 3, seed=5))


def shuffled_and_repeated_without_end(tf: Any) -> Any:
    return tf.data.Dataset.range(5).apply(tf.data.experimental.shuffle_and_repeat(3, seed=5))


def repeated(tf: Any) -> Any:
    return tf.data.Dataset.range(3).repeat(2).repeat()


def prefetched(tf: Any) -> Any:
    return tf.data.Dataset.range(30).prefetch(3).map(lambda x: x + 1).prefetch(1).prefetch(-1)


def cached(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(4)
        .map(lambda x: tf.random_uniform([], 0, 1000, tf.int32, seed=4))
        .cache()
        .repeat(3)
    )


def taken_and_skipped(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.range(20).skip(3).take(9).skip(-0).take(-1).concatenate(D.range(4).skip(-1))


def sharded(tf: Any) -> Any:
    return tf.data.Dataset.range(11).shard(3, 1)


def sharded_wrongly(tf: Any) -> Any:
    return tf.data.Dataset.range(11).shard(tf.constant(3, tf.int64), tf.constant(3, tf.int64))


def zipped(tf: Any) -> Any:
    D = tf.data.Dataset
    return D.zip((D.range(5), {"k": D.range(3, 9), "a": D.from_tensors(1).repeat()}))


def windows(tf: Any) -> Any:
    return tf.data.Dataset.range(11).window(3, shift=2, stride=2).flat_map(lambda w: w.batch(3))


def windows_apart(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(13)
        .window(2, shift=5, drop_remainder=True)
        .flat_map(lambda w: w.batch(5))
    )


def windows_of_pairs(tf: Any) -> Any:
    D = tf.data.Dataset
    return (
        D.zip((D.range(5), D.range(5, 10)))
        .window(2)
        .flat_map(lambda a, b: D.zip((a.batch(2), b.batch(2))))
    )


def numbered(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(["a", "b", "c"]).enumerate(5)


def unbatched(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(6)
        .batch(4)
        .map(lambda x: (x, x + 1))
        .apply(tf.data.experimental.unbatch())
    )


def mapped_and_batched(tf: Any) -> Any:
    return tf.data.Dataset.range(10).apply(
        tf.data.experimental.map_and_batch(lambda x: (x, tf.as_string(x)), 4, num_parallel_calls=2)
    )


def mapped_and_batched_whole(tf: Any) -> Any:
    return tf.data.Dataset.range(10).apply(
        tf.data.experimental.map_and_batch(lambda x: x * 2, 4, drop_remainder=True)
    )


def grouped(tf: Any) -> Any:
    return tf.data.Dataset.range(12).apply(
        tf.data.experimental.group_by_window(
            lambda x: x % 3, lambda key, window: window.map(lambda x: x + 100 * key).batch(2), 3
        )
    )


def grouped_by_size(tf: Any) -> Any:
    return tf.data.Dataset.range(14).apply(
        tf.data.experimental.group_by_window(
            lambda x: x % 2, lambda key, window: window.batch(9), window_size_func=lambda k: k + 2
        )
    )


def reduced_by_key(tf: Any) -> Any:
    reducer = tf.data.experimental.Reducer(
        lambda key: np.int64(0), lambda state, x: state + x, lambda state: state * 10
    )
    return tf.data.Dataset.range(10).apply(
        tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)
    )


def buckets(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(1, 15)
        .map(lambda x: tf.fill([x % 9], x))
        .apply(
            tf.data.experimental.bucket_by_sequence_length(
                lambda x: tf.size(x), [3, 6], [2, 3, 4], padded_shapes=[None]
            )
        )
    )


def buckets_to_their_ends(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(1, 15)
        .map(lambda x: tf.fill([x % 6], x))
        .apply(
            tf.data.experimental.bucket_by_sequence_length(
                lambda x: tf.size(x), [3, 6], [2, 3, 4], [None], pad_to_bucket_boundary=True
            )
        )
    )


def chosen(tf: Any) -> Any:
    D = tf.data.Dataset
    choice = D.from_tensor_slices(np.array([0, 1, 1, 2, 0, 2, 2, 2, 1], np.int64))
    return tf.data.experimental.choose_from_datasets(
        [D.range(9), D.range(10, 12), D.range(20, 22)], choice
    )


def scanned(tf: Any) -> Any:
    return tf.data.Dataset.range(8).apply(
        tf.data.experimental.scan(np.int64(1), lambda state, x: (state + x, (state, x)))
    )


def while_small(tf: Any) -> Any:
    return tf.data.Dataset.range(8).apply(tf.data.experimental.take_while(lambda x: x < 5))


def uniques(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(["a", "b", "a", "c", "b", "d"]).apply(
        tf.data.experimental.unique()
    )


def counted(tf: Any) -> Any:
    return tf.data.experimental.Counter(3, 4).take(5)


def random_numbers(tf: Any) -> Any:
    return tf.data.experimental.RandomDataset(seed=9).take(9)


def sparse_elements(tf: Any) -> Any:
    def parts(s: Any) -> Any:
        return s.indices, s.values, s.dense_shape

    sparse = tf.SparseTensor([[0, 1], [1, 0], [1, 2], [3, 3]], [1.0, 2.0, 3.0, 4.0], [4, 5])
    return tf.data.Dataset.from_tensor_slices(sparse).batch(3).map(parts)


def sparse_unbatched(tf: Any) -> Any:
    sparse = tf.SparseTensor([[0, 1], [1, 0], [1, 2], [3, 3]], [1.0, 2.0, 3.0, 4.0], [4, 5])
    return (
        tf.data.Dataset.from_tensors(sparse)
        .apply(tf.data.experimental.unbatch())
        .map(lambda s: (s.indices, s.values, s.dense_shape))
    )


def sparse_slices(tf: Any) -> Any:
    sparse = tf.SparseTensor([[0, 1], [1, 0], [1, 2], [3, 3]], ["a", "b", "c", "d"], [4, 5])
    return tf.data.Dataset.from_sparse_tensor_slices(sparse)


def dense_to_sparse(tf: Any) -> Any:
    return (
        tf.data.Dataset.range(1, 6)
        .map(lambda x: tf.fill([x], x))
        .apply(tf.data.experimental.dense_to_sparse_batch(2, [7]))
        .map(lambda s: (s.indices, s.values, s.dense_shape))
    )


def resampled(tf: Any) -> Any:
    return tf.data.Dataset.range(40).apply(
        tf.data.experimental.rejection_resample(
            lambda x: tf.cast(x % 2, tf.int32), [0.2, 0.8], [0.5, 0.5], seed=3
        )
    )


def resampled_by_counting(tf: Any) -> Any:
    return tf.data.Dataset.range(80).apply(
        tf.data.experimental.rejection_resample(
            lambda x: tf.cast(tf.equal(x % 4, 0), tf.int32), [0.4, 0.6], seed=3
        )
    )


def sampled(tf: Any) -> Any:
    D = tf.data.Dataset
    return tf.data.experimental.sample_from_datasets(
        [D.range(9), D.range(100, 120)], [0.3, 0.7], seed=11
    )


def asserted(tf: Any) -> Any:
    return tf.data.Dataset.range(4).apply(tf.data.experimental.assert_cardinality(3))


def generated(tf: Any) -> Any:
    def numbers(count: Any) -> Any:
        for i in range(int(count)):
            yield i, [i] * i, f"text {i}"

    return tf.data.Dataset.from_generator(
        numbers, (tf.int32, tf.float32, tf.string), ([], [None], []), args=[3]
    ).repeat(2)


def generated_by_a_signature(tf: Any) -> Any:
    signature = {"a": tf.TensorSpec([], tf.int32), "b": tf.TensorSpec([None], tf.string)}
    return tf.data.Dataset.from_generator(
        lambda: ({"a": i, "b": ["x"] * i} for i in range(3)), output_signature=signature
    )


def generated_wrongly(tf: Any) -> Any:
    return tf.data.Dataset.from_generator(lambda: iter([1, 2, "x", 3]), tf.int32, [])


def generated_in_a_wrong_shape(tf: Any) -> Any:
    return tf.data.Dataset.from_generator(lambda: iter([[1], [1, 2], [3]]), tf.int64, [1])


def _some_bad(tf: Any) -> Any:
    numbers = np.array([1.0, np.nan, 2.0, np.nan, 3.0], np.float32)
    check = tf.debugging.check_numerics
    return tf.data.Dataset.from_tensor_slices(numbers).map(lambda x: check(x, "bad"))


def errors_outside_of_windows(tf: Any) -> Any:
    return _some_bad(tf).window(2, 2, 2, True).flat_map(lambda rows: rows.batch(2))


def errors_between_datasets(tf: Any) -> Any:
    return _some_bad(tf).interleave(
        tf.data.Dataset.from_tensors, cycle_length=2, num_parallel_calls=2
    )


def tensor_arrays(tf: Any) -> Any:
    def numbers(n: Any) -> Any:
        array = tf.TensorArray(tf.int64, tf.cast(n, tf.int32), element_shape=())
        return array.unstack(tf.range(n))

    outer = tf.TensorArray(tf.int64, 2, element_shape=()).unstack([5, 6])
    made = tf.data.Dataset.range(1, 4).map(numbers)
    made = made.map(lambda array: array.write(0, array.read(0) + 7))
    made = made.flat_map(lambda array: tf.data.Dataset.from_tensors(array.stack()))
    return made.concatenate(tf.data.Dataset.from_tensors(outer).map(lambda array: array.stack()))


def datasets_as_components(tf: Any) -> Any:
    D = tf.data.Dataset
    listed = D.from_tensors([D.range(2), D.range(3)]).flat_map(D.from_tensor_slices)
    batched = D.range(3).map(D.from_tensors).batch(2).map(lambda each: each).unbatch()
    return listed.concatenate(batched).flat_map(lambda each: each)


PIPELINES = [
    value
    for name, value in dict(globals()).items()
    if callable(value) and getattr(value, "__module__", "") == __name__ and name[0] != "_"
]
