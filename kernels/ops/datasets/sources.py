"""Kernels that make datasets of tensors and of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Dataset
from dataflow.kernels.datasets.generating import GeneratorDataset
from dataflow.kernels.datasets.sources import (
    ListDataset,
    RangeDataset,
    SparseTensorSliceDataset,
    TensorDataset,
    TensorSliceDataset,
)
from dataflow.kernels.ops.datasets.arguments import captured, described, number


@kernel("TensorDataset", device="CPU")
def tensor_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node, "Toutput_types")

    def run(*components: Any) -> Dataset:
        for place, (value, shape) in enumerate(zip(components, shapes, strict=True)):
            _check_shape(place, np.shape(value), shape)
        return TensorDataset(types, shapes, components)

    return run


@kernel("TensorSliceDataset", device="CPU")
def tensor_slice_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node, "Toutput_types")

    def run(*components: Any) -> Dataset:
        dataset = TensorSliceDataset(types, shapes, components)
        for place, (value, shape) in enumerate(zip(components, shapes, strict=True)):
            _check_shape(place, np.shape(value)[1:], shape)
        return dataset

    return run


def _check_shape(place: int, given: tuple[int, ...], wanted: Any) -> None:
    if not wanted.is_compatible_with(given):
        raise invalid(
            f"Incompatible shapes at component {place}: expected {wanted} but got {list(given)}."
        )


@kernel("ListDataset", "WindowOp", device="CPU")
def list_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    given = node.attr("Tinput_types" if node.op == "ListDataset" else "Tinputs")
    size = len(types)
    if len(given) % size or any(given[i] != types[i % size] for i in range(len(given))):
        raise invalid(
            f"The {len(given)} tensors of a {node.op} are not elements of {size} components."
        )

    def run(*tensors: Any) -> Dataset:
        elements = [tensors[i : i + size] for i in range(0, len(tensors), size)]
        return ListDataset(types, shapes, elements)

    return run


@kernel("SparseTensorSliceDataset", device="CPU")
def sparse_tensor_slice_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    dtype = node.attr("Tvalues")
    return lambda indices, values, shape: SparseTensorSliceDataset(dtype, indices, values, shape)


@kernel("RangeDataset", device="CPU")
def range_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    if len(types) != 1 or not (types[0].is_integer or types[0].is_floating):
        raise invalid("A RangeDataset has one component, of a type of numbers.")

    def run(start: Any, stop: Any, step: Any) -> Dataset:
        distance = number(step, "step")
        if not distance:
            raise invalid("step must be a non-zero integer.")
        numbers = range(number(start, "start"), number(stop, "stop"), distance)
        return RangeDataset(types, shapes, numbers)

    return run


@kernel("GeneratorDataset", device="CPU")
def generator_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    first = len(node.attr("Tinit_func_args"))
    second = first + len(node.attr("Tnext_func_args"))

    def run(*values: Any) -> Dataset:
        return GeneratorDataset(
            types,
            shapes,
            captured(node, "init_func", values[:first]),
            captured(node, "next_func", values[first:second]),
            captured(node, "finalize_func", values[second:]),
        )

    return run
