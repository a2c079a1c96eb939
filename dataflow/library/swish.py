"""The swish activation, with a gradient of its own that keeps only its inputs."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.sigmoid as math_sigmoid
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.differentiation.custom_gradient import custom_gradient
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import unary
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast


@unary
def swish(features: Any, beta: Any = 1.0) -> Tensor:
    """features * sigmoid(beta * features) (Ramachandran et al., 2017); also called SiLU.

    Args:
      features: Activations.
      beta: Slope of the sigmoid.
    """
    features = convert_to_tensor(features, name="features")
    beta = cast(convert_to_tensor(beta, name="beta"), features.dtype)

    @custom_gradient
    def swish_impl(features: Any, beta: Any) -> Any:
        def gradient(dy: Any) -> Any:
            with control_dependencies([dy]):
                sigmoid: Any = math_sigmoid.sigmoid(beta * features)
            slope = sigmoid * (1.0 + beta * features * (1.0 - sigmoid))
            of_beta = reductions.reduce_sum(
                dy * math_unary.square(features) * sigmoid * (1.0 - sigmoid)
            )
            return dy * slope, of_beta

        return features * math_sigmoid.sigmoid(beta * features), gradient

    result: Tensor = swish_impl(features, beta)
    return result


silu = swish
