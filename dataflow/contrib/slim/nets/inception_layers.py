"""Builds the layers that a table of Inception describes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from dataflow.contrib.framework.arg_scope import arg_scope
from dataflow.contrib.layers.depthwise import separable_convolution2d
from dataflow.contrib.layers.initializers import variance_scaling_initializer
from dataflow.contrib.layers.linear import convolution2d, fully_connected
from dataflow.contrib.layers.normalization import batch_norm
from dataflow.contrib.layers.plain import avg_pool2d, max_pool2d
from dataflow.contrib.layers.regularizers import l2_regularizer
from dataflow.contrib.slim.nets.deviations import trunc_normal as trunc_normal
from dataflow.graph.keys import GraphKeys
from dataflow.ops.array.concat import concat
from dataflow.ops.nn.activation import relu
from dataflow.variables.scope import variable_scope

_LAYER: Final = re.compile(
    r"(?P<name>[^=:]+)(=(?P<depth>\d+))?:(?P<rows>\d+)x(?P<columns>\d+)(/(?P<stride>\d))?"
    r"(?P<padding>[SV])?(~(?P<deviation>[\d.]+))?"
)
_SHORT: Final = {"C": "Conv2d_", "M": "MaxPool_", "A": "AvgPool_"}

Depth = Callable[[int], int]


def depth_of(depth_multiplier: float, min_depth: int) -> Depth:
    """How many channels a layer has.

    Raises:
      ValueError: The multiplier is not positive.
    """
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def build(
    table: str, inputs: Any, final_endpoint: str, depth: Depth, separable_first: bool = False
) -> tuple[Any, dict[str, Any]]:
    """The output of an end point, and those of all before it, in the open scopes.

    Raises:
      ValueError: There is no such end point.
    """
    net = inputs
    end_points: dict[str, Any] = {}
    for name, branches in _end_points(table):
        if separable_first and not end_points:
            net = separable_convolution2d(
                net,
                depth(64),
                [7, 7],
                depth_multiplier=min(int(depth(64) / 3), 8),
                stride=2,
                weights_initializer=trunc_normal(1.0),
                scope=name,
            )
        elif len(branches) == 1:
            net = _layer(branches[0].replace("*", name), net, depth)
        else:
            with variable_scope(name):
                outputs = []
                for index, branch in enumerate(branches):
                    with variable_scope(f"Branch_{index}"):
                        outputs.append(_branch(branch, net, depth))
                net = concat(outputs, 3)
        end_points[name] = net
        if name == final_endpoint:
            return net, end_points
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def _end_points(table: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in table.strip().splitlines():
        if line.startswith(" "):
            found[-1][1].append(line.strip())
        else:
            found.append((line, []))
    return found


def _branch(text: str, net: Any, depth: Depth) -> Any:
    for step in text.split():
        outputs = [_layer(each, net, depth) for each in step.split("&")]
        net = outputs[0] if len(outputs) == 1 else concat(outputs, 3)
    return net


def _layer(text: str, net: Any, depth: Depth) -> Any:
    found = _LAYER.fullmatch(text)
    assert found is not None
    name = found["name"]
    if re.match(r"[CMA]\d", name):
        name = _SHORT[name[0]] + name[1:]
    options: dict[str, Any] = {"scope": name}
    if found["stride"]:
        options["stride"] = int(found["stride"])
    if found["padding"]:
        options["padding"] = {"S": "SAME", "V": "VALID"}[found["padding"]]
    kernel = [int(found["rows"]), int(found["columns"])]
    if not found["depth"]:
        pool = avg_pool2d if name.startswith("Avg") else max_pool2d
        return pool(net, kernel, **options)
    if found["deviation"]:
        options["weights_initializer"] = trunc_normal(float(found["deviation"]))
    return convolution2d(net, depth(int(found["depth"])), kernel, **options)


def kernel_for(net: Any, kernel_size: list[int]) -> list[int]:
    """A kernel that is no larger than the images, if their size is known."""
    _, rows, columns, _ = net.shape.as_list()
    if rows is None or columns is None:
        return kernel_size
    return [min(rows, kernel_size[0]), min(columns, kernel_size[1])]


def inception_arg_scope(
    weight_decay: float,
    batch_norm_var_collection: str,
    decay: float = 0.9997,
    epsilon: float = 0.001,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    normalizes: bool = True,
    **options: Any,
) -> Any:
    """The arguments that the layers of Inception share."""
    moving = [batch_norm_var_collection]
    params = {
        "decay": decay,
        "epsilon": epsilon,
        "updates_collections": updates_collections,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": moving,
            "moving_variance": moving,
        },
        **options,
    }
    with (
        arg_scope(
            [convolution2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)
        ),
        arg_scope(
            [convolution2d],
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm if normalizes else None,
            normalizer_params=params if normalizes else {},
        ) as scope,
    ):
        return scope
