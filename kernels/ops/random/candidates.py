"""Kernels that sample candidate classes, and say how often each was to be expected."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import NotFoundError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.random.range_samplers import (
    Learned,
    LogUniform,
    RangeSampler,
    Uniform,
    Weighted,
)
from dataflow.kernels.random.word_stream import WordStream, first_distinct, first_values

_OUTPUTS = ("sampled_candidates", "true_expected_count", "sampled_expected_count")
_SPARE: Final = 2
"""How many times as many numbers are made at once as are wanted, where they must be distinct."""
_MOST: Final = 1 << 28
"""Candidates, which take 12 bytes each."""
_BLOCKS_OF_SAMPLE: Final = 512
"""What an invocation takes of the stream for each candidate."""


@kernel("UniformCandidateSampler", host_inputs=("true_classes",), host_outputs=_OUTPUTS)
def uniform_candidates(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _sampling(node, Uniform(_range(node)))


@kernel("LogUniformCandidateSampler", host_inputs=("true_classes",), host_outputs=_OUTPUTS)
def log_uniform_candidates(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _sampling(node, LogUniform(_range(node)))


@kernel(
    "LearnedUnigramCandidateSampler",
    "ThreadUnsafeUnigramCandidateSampler",
    host_inputs=("true_classes",),
    host_outputs=_OUTPUTS,
)
def learned_candidates(node: KernelNode, xp: Any) -> Callable[..., Any]:
    bound = _range(node)
    if bound >= 2**31 - 1:
        raise invalid(f"range_max {bound} is too large: the counts of all classes are kept.")
    return _sampling(node, Learned(bound))


@kernel("FixedUnigramCandidateSampler", host_inputs=("true_classes",), host_outputs=_OUTPUTS)
def fixed_candidates(node: KernelNode, xp: Any) -> Callable[..., Any]:
    weights, bound = _weights(node), _range(node)
    if weights.size != bound:
        raise invalid(f"range is {bound} must be equal to weights size  {weights.size}")
    if not 0 < float(weights.sum()) < np.inf:
        raise invalid(
            f"The weights of the classes add up to {weights.sum()}: that must be a finite number "
            "above 0."
        )
    return _sampling(node, Weighted(weights))


@kernel("AllCandidateSampler", host_inputs=("true_classes",), host_outputs=_OUTPUTS)
def all_candidates(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = _number(node)
    check = _check_of(node, count)

    def run(true_classes: Any) -> Any:
        check(true_classes)
        ones = np.ones(count, np.float32)
        return np.arange(count), np.ones(true_classes.shape, np.float32), ones

    return run


def _range(node: KernelNode) -> int:
    return int(node.attr("range_max"))


def _number(node: KernelNode) -> int:
    """How many candidates there are to be."""
    count = int(node.attr("num_sampled"))
    if count > _MOST:
        raise invalid(f"num_sampled is {count}: more than {_MOST} candidates are not sampled.")
    return count


def _check_of(node: KernelNode, bound: int) -> Callable[[Any], None]:
    columns, count = int(node.attr("num_true")), int(node.attr("num_sampled"))
    is_unique = bool(node.attr("unique"))

    def check(true_classes: Any) -> None:
        if true_classes.ndim != 2:
            raise invalid("true_classes must be a matrix")
        if true_classes.shape[1] != columns:
            raise invalid(
                "true_classes must have num_true columns, expected: "
                f"{true_classes.shape[1]} was: {columns}"
            )
        if is_unique and count > bound:
            raise invalid("Sampler's range is too small.")
        wrong = true_classes[(true_classes < 0) | (true_classes >= bound)]
        if wrong.size:
            raise invalid(f"`true_candidate` out of range [0, {bound}), received {wrong[0]}")

    return check


def _sampling(node: KernelNode, sampler: RangeSampler) -> Callable[..., Any]:
    count, is_unique = _number(node), bool(node.attr("unique"))
    check = _check_of(node, int(node.attr("range_max")))
    seeds = int(node.attr("seed")), int(node.attr("seed2"))
    stream = WordStream(None if seeds == (0, 0) else seeds, count * _BLOCKS_OF_SAMPLE)
    likely = sampler.words * count * (_SPARE if is_unique else 1)
    # One that learns must not change while another invocation draws.
    lock = threading.Lock()

    def run(true_classes: Any) -> Any:
        check(true_classes)
        if is_unique and count > sampler.possible:
            raise invalid(
                f"{count} different classes were asked for, but only {sampler.possible} have a "
                "weight above 0."
            )
        with lock:
            words = stream.take(likely)
            if is_unique:
                sampled, tries = first_distinct(sampler.values, words, likely, count)
            else:
                sampled, tries = first_values(sampler.values, words, likely, count), count
            shares = sampler.probabilities(np.concatenate([true_classes.reshape(-1), sampled]))
            sampler.learn(true_classes.reshape(-1))
        expected = _expected_counts(shares, count, tries)
        of_true = expected[: true_classes.size].reshape(true_classes.shape)
        return sampled, of_true, expected[true_classes.size :]

    return run


def _expected_counts(shares: Any, count: int, tries: int) -> Any:
    """How often classes of these probabilities are to be expected among the candidates.

    Of distinct candidates, for which more tries were made, it is the probability that a class is
    met in so many tries.
    """
    if tries == count:
        return shares * np.float32(count)
    with np.errstate(divide="ignore"):
        return -np.expm1(np.float32(tries) * np.log1p(-shares))


def _weights(node: KernelNode) -> Any:
    """The weights of the classes that are this shard's."""
    path, given = node.attr("vocab_file"), node.attr("unigrams")
    if not path and not given:
        raise invalid("Must provide either vocab_file or unigrams.")
    if path and given:
        raise invalid("Must only provide one of vocab_file and unigrams.")
    shards, shard = int(node.attr("num_shards")), int(node.attr("shard"))
    mine = range(max(int(node.attr("num_reserved_ids")), 0))
    reserved = [0.0] * sum(each % shards == shard for each in mine)
    numbers = list(given) if given else _read(path.decode(errors="backslashreplace"))
    # Classes are counted on from the reserved ones of this shard.
    kept = [w for i, w in enumerate(numbers, len(reserved)) if i % shards == shard]
    distortion = float(np.float32(node.attr("distortion")))
    with np.errstate(over="ignore", invalid="ignore"):
        distorted = np.power(np.array(kept, np.float32).astype(np.float64), distortion)
        return np.array([*reserved, *distorted]).astype(np.float32)


def _read(path: str) -> list[float]:
    """The last field of each line of a file."""
    weights = []
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                text = line.rstrip("\r\n")
                if not text:
                    continue
                try:
                    weights.append(float(text.rsplit(",", 1)[-1]))
                except ValueError:
                    raise invalid(f"Wrong vocabulary format at line: {text}") from None
    except OSError as error:
        raise NotFoundError(None, None, f"{path}; {error.strerror}") from None
    return weights


@kernel(
    "ComputeAccidentalHits",
    host_inputs=("true_classes", "sampled_candidates"),
    host_outputs=("indices", "ids", "weights"),
)
def accidental_hits(node: KernelNode, xp: Any) -> Callable[..., Any]:
    columns = int(node.attr("num_true"))

    def run(true_classes: Any, sampled: Any) -> Any:
        if true_classes.ndim != 2 or true_classes.shape[1] != columns:
            raise invalid("true_candidates must be a batch_size * num_true matrix")
        if sampled.ndim != 1:
            raise invalid(
                "sampled_candidates must be a vector, which is typically an output from "
                "CandidateSampler"
            )
        # Of a class that was sampled more than once, the last place counts.
        classes, backwards = np.unique(sampled[::-1], return_index=True)
        places = np.searchsorted(classes, true_classes)
        found = np.zeros(true_classes.shape, bool)
        inside = places < classes.size
        found[inside] = classes[places[inside]] == true_classes[inside]
        rows, _ = np.nonzero(found)
        ids = sampled.size - 1 - backwards[places[found]]
        weights = np.full(rows.size, -np.finfo(np.float32).max, np.float32)
        return rows.astype(np.int32), ids.astype(np.int64), weights

    return run
