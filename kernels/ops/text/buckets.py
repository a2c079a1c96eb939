"""Kernels of strings' buckets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.text.fingerprints import Rows, Words, farmhash, hashed, murmur, siphash


@kernel("StringToHashBucket", host_inputs=("string_tensor",), host_outputs=("output",))
def string_to_hash_bucket(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _bucket(node, murmur)


@kernel("StringToHashBucketFast", host_inputs=("input",), host_outputs=("output",))
def string_to_hash_bucket_fast(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _bucket(node, farmhash)


@kernel("StringToHashBucketStrong", host_inputs=("input",), host_outputs=("output",))
def string_to_hash_bucket_strong(node: KernelNode, xp: Any) -> Callable[..., Any]:
    key = node.attr("key")
    if len(key) != 2:
        raise invalid("Key must have 2 elements")
    return _bucket(node, siphash(key))


def _bucket(node: KernelNode, hash_rows: Callable[[Rows], Words]) -> Callable[..., Any]:
    count = np.uint64(node.attr("num_buckets"))

    def run(value: Any) -> Any:
        array = np.asarray(value, object)
        buckets = hashed(array.ravel().tolist(), hash_rows) % count
        return buckets.astype(np.int64).reshape(array.shape)

    return run
