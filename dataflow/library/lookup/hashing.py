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
            raise ValueError(f"`key` must have size 2, received: {numbers}.")
        if not all(isinstance(number, int) for number in numbers):
            raise TypeError(f"Invalid key {numbers}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", numbers)


def buckets_of(strings: Tensor, num_buckets: int, spec: HasherSpec, name: str) -> Tensor:
    """The numbers of strings' buckets."""
    if spec.hasher == "stronghash":
        return single(
            "StringToHashBucketStrong", strings, num_buckets=num_buckets, key=spec.key, name=name
        )
    op = "StringToHashBucket" if spec.hasher == "legacy" else "StringToHashBucketFast"
    return single(op, strings, num_buckets=num_buckets, name=name)


def check_hasher(spec: Any) -> HasherSpec:
    """The function, or what is wrong with it.

    Raises:
      TypeError: It is no HasherSpec.
      ValueError: There is no function of its name.
    """
    if not isinstance(spec, HasherSpec):
        raise TypeError(f"`hasher_spec` must be of type HasherSpec, received: {type(spec)}.")
    if spec.hasher not in ("fasthash", "legacy", "stronghash"):
        raise ValueError(f"Found unknown hasher {spec.hasher} in `hasher_spec`.")
    return spec
