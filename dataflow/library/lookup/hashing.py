"""How words that a vocabulary lacks find their buckets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single


class HasherSpec(NamedTuple):
    """A hash function of strings, by name, and its key."""

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)
"""FarmHash: fast, and open to attackers who choose words that meet in one bucket."""


class StrongHashSpec(HasherSpec):
    """SipHash with a key, for which nobody finds such words who does not know the key."""

    __slots__ = ()

    def __new__(cls, key: Iterable[int]) -> StrongHashSpec:
        """Makes a function.

        Args:
          key: Two integers.

        Raises:
          ValueError: The key is something else.
        """
        numbers = list(key)
        if len(numbers) != 2:
            raise ValueError(f"key must have size 2, got {len(numbers)}.")
        if not all(isinstance(number, int) for number in numbers):
            raise TypeError(f"Invalid key {numbers}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", numbers)


_OPS = {
    "fasthash": "StringToHashBucketFast",
    "legacy": "StringToHashBucket",
    "stronghash": "StringToHashBucketStrong",
}


def buckets_of(strings: Tensor, num_buckets: int, spec: HasherSpec, name: str) -> Tensor:
    """The numbers of strings' buckets.

    Raises:
      ValueError: There is no function of that name.
    """
    op = _OPS.get(spec.hasher)
    if op is None:
        raise ValueError(f"Unknown hasher {spec.hasher}")
    key = {"key": spec.key} if spec.hasher == "stronghash" else {}
    return single(op, strings, num_buckets=num_buckets, name=name, **key)


def check_hasher(spec: Any) -> HasherSpec:
    """What describes a function, which need not be there until it is used.

    Raises:
      TypeError: It is no HasherSpec.
    """
    if not isinstance(spec, HasherSpec):
        raise TypeError(f"hasher_spec must be of type HasherSpec, got {spec}")
    return spec
