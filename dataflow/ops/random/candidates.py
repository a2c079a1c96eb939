"""Candidate classes sampled for losses that cannot look at all classes.

All samplers take `true_classes`, int64 of shape `[batch, num_true]`, and give the classes that were
sampled (int64, of shape `[num_sampled]`, the same ones for the whole batch), and how often the true
and the sampled ones were to be expected among them (float32, of their shapes). `unique` says
whether the candidates are all different; `seed` is the op-level seed, see `set_random_seed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.random_seed import get_seed
from dataflow.ops.basic.shape_parts import size_at, vector
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

_COUNTS = ["num_true: int >= 1", "num_sampled: int >= 1", "unique: bool"]
_RANGE = "range_max: int >= 1"
_SEEDS = ["seed: int = 0", "seed2: int = 0"]
_FIXED = [
    "vocab_file: string = ''",
    "distortion: float = 1.0",
    "num_reserved_ids: int = 0",
    "num_shards: int >= 1 = 1",
    "shard: int >= 0 = 0",
    "unigrams: list(float) = []",
]


def _sampler_shape(c: InferenceContext) -> list[TensorShape]:
    batch = size_at(with_rank(c.input(0), 2), 0)
    sampled = vector(c.attr("num_sampled"))
    return [sampled, TensorShape.of((batch, c.attr("num_true"))), sampled]


def _hits_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 2)
    with_rank(c.input(1), 1)
    return [vector(None)] * 3


for _name, _attrs, _doc in (
    ("Uniform", [_RANGE], "Candidates among which all classes are as likely."),
    ("LogUniform", [_RANGE], "Candidates: class n has a probability of about 1 / (n + 1)."),
    ("LearnedUnigram", [_RANGE], "Candidates, as likely as they were true classes so far."),
    ("ThreadUnsafeUnigram", [_RANGE], "As LearnedUnigramCandidateSampler."),
    ("FixedUnigram", [_RANGE, *_FIXED], "Candidates, whose probabilities are shares of weights."),
    ("All", [], "All classes as candidates."),
):
    define_op(
        f"{_name}CandidateSampler",
        inputs="true_classes: int64",
        outputs=(
            "sampled_candidates: int64, true_expected_count: float32, "
            "sampled_expected_count: float32"
        ),
        attrs=[*_COUNTS, *_attrs, *_SEEDS],
        shape=_sampler_shape,
        gradient=MISSING_GRADIENT,
        stateful=True,
        doc=_doc,
    )
define_op(
    "ComputeAccidentalHits",
    inputs="true_classes: int64, sampled_candidates: int64",
    outputs="indices: int32, ids: int64, weights: float32",
    attrs=["num_true: int", *_SEEDS],
    shape=_hits_shape,
    gradient=MISSING_GRADIENT,
    doc="Where true classes are among the candidates.",
)


def _sampled(
    kind: str,
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None,
    name: str | None,
    **attrs: Any,
) -> Any:
    seed1, seed2 = get_seed(seed)
    return apply_op(
        f"{kind}CandidateSampler",
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        seed=seed1,
        seed2=seed2,
        name=name,
        **attrs,
    )


def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Candidates from 0 up to `range_max`, all as likely."""
    return _sampled(
        "Uniform", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Candidates from 0 up to `range_max`, of which n has a probability of about 1 / (n + 1).

    That is how often words occur that are numbered by how often they do, the commonest first.
    """
    return _sampled(
        "LogUniform", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Candidates, each as likely as it was a true class so far in the session.

    Raises:
      ValueError: `range_max` does not fit in 32 bits.
    """
    if range_max > 2**31 - 1:
        raise ValueError(f"Value of range_max:{range_max} is too large to handle")
    return _sampled(
        "LearnedUnigram",
        true_classes,
        num_true,
        num_sampled,
        unique,
        seed,
        name,
        range_max=range_max,
    )


def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Candidates whose probabilities are shares of given weights.

    Args:
      true_classes: See above.
      num_true: See above.
      num_sampled: See above.
      unique: See above.
      range_max: How many classes there are.
      vocab_file: File with a line for each class, whose last field, behind a comma, is its weight.
      distortion: The power to which weights are taken.
      num_reserved_ids: So many first classes have no weight and are never sampled.
      num_shards: In how many parts classes are dealt out, one after the other.
      shard: The part whose classes are sampled.
      unigrams: The weights, in place of a file.
      seed: See above.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: In the run: weights come from a file and a list or from neither, or are
        not `range_max`.
    """
    return _sampled(
        "FixedUnigram",
        true_classes,
        num_true,
        num_sampled,
        unique,
        seed,
        name,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=unigrams,
    )


def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """All `num_sampled` classes as candidates, to try what sampling costs in accuracy."""
    return _sampled("All", true_classes, num_true, num_sampled, unique, seed, name)


def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Where true classes are among the candidates.

    Args:
      true_classes: int64, of shape `[batch, num_true]`.
      sampled_candidates: int64, of shape `[num_sampled]`.
      num_true: The number of true classes of each example.
      seed: Not used.
      name: Name of the operation.

    Returns:
      For each hit its example (int32), the candidate's place (int64), and the lowest float, which
      takes a class out of a softmax when it is added to its logit.
    """
    seed1, seed2 = get_seed(seed)
    return apply_op(
        "ComputeAccidentalHits",
        true_classes,
        sampled_candidates,
        num_true=num_true,
        seed=seed1,
        seed2=seed2,
        name=name,
    )
