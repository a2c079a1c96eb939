"""Kernels of strings' buckets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.hashes.formulas import FARMHASH, MURMUR, Hash, siphash
from dataflow.kernels.hashes.texts import hashed


@kernel("StringToHashBucket", host_inputs=("string_tensor",), host_outputs=("output",))
def string_to_hash_bucket(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _bucket(node, MURMUR)


@kernel("StringToHashBucketFast", host_inputs=("input",), host_outputs=("output",))
def string_to_hash_bucket_fast(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _bucket(node, FARMHASH)


@kernel("StringToHashBucketStrong", host_inputs=("input",), host_outputs=("output",))
def string_to_hash_bucket_strong(node: KernelNode, xp: Any) -> Callable[..., Any]:
    key = node.attr("key")
    if len(key) != 2:
        raise invalid("Key must have 2 elements")
    return _bucket(node, siphash(key))


def _bucket(node: KernelNode, what: Hash) -> Callable[..., Any]:
    count = np.uint64(node.attr("num_buckets"))

    def run(value: Any) -> Any:
        array = np.asarray(value, object)
        buckets = hashed(array.ravel().tolist(), what) % count
        return buckets.astype(np.int64).reshape(array.shape)

    return run
