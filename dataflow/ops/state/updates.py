"""Updates of a variable and its slots by a dense gradient, one op for each optimizer."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import size_at
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, ShapeFunction, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, merge_dim, with_rank
from dataflow.values.shapes import TensorShape


def update_shape(variables: int, arguments: list[str], is_resource: bool) -> ShapeFunction:
    """The shape function of an update.

    Variable and slots have one shape, the gradient has it, too, or that of rows of it where there
    are indices; everything else is a scalar.

    Args:
      variables: Number of variables, which come first among the inputs.
      arguments: Names of the other inputs.
      is_resource: The variables are handles.
    """

    def variable_shape(c: InferenceContext, index: int) -> TensorShape:
        if not is_resource:
            return c.input(index)
        held = c.input_handle(index)
        shape: TensorShape = held[0][1] if held else UNKNOWN
        return shape

    def infer(c: InferenceContext) -> list[TensorShape]:
        shape = variable_shape(c, 0)
        for index in range(1, variables):
            shape = merge(shape, variable_shape(c, index))
        for index, name in enumerate(arguments, start=variables):
            if name == "indices":
                continue
            if name not in ("grad", "delta"):
                with_rank(c.input(index), 0)
            elif "indices" in arguments:
                shape = _merge_rows(shape, c.input(index), c.input(index + 1))
            else:
                shape = merge(shape, c.input(index))
        return [] if is_resource else [shape]

    return infer


def _merge_rows(shape: TensorShape, grad: TensorShape, indices: TensorShape) -> TensorShape:
    """What is known of the variable's shape from rows of a gradient."""
    indices = with_rank(indices, 1)
    if grad.rank == 0:
        raise ValueError("Argument grad must not be a scalar. Got grad with rank 0")
    merge_dim(size_at(indices, 0), size_at(grad, 0))
    dims = grad.dims_tuple
    return shape if dims is None else merge(shape, TensorShape.of((None, *dims[1:])))


def define_update(
    op_type: str, variables: str, arguments: str, attrs: tuple[str, ...], doc: str
) -> None:
    """Declares an update of reference variables, or of handles if the type says "Resource".

    Args:
      op_type: The op type.
      variables: Names of the variable and its slots, separated by blanks.
      arguments: Names of the other inputs.
      attrs: Attrs besides those that all updates have.
      doc: What the op computes.
    """
    is_resource = op_type.startswith("Resource")
    states, others = variables.split(), arguments.split()
    inputs = [f"{name}: {'resource' if is_resource else 'Ref(T)'}" for name in states]
    inputs += [f"{name}: {_TYPES.get(name, 'T')}" for name in others]
    index_attrs = ["Tindices: {int32, int64}"] if "indices" in others else []
    define_op(
        op_type,
        inputs=", ".join(inputs),
        outputs="" if is_resource else "out: Ref(T)",
        attrs=["T: numbertype", *index_attrs, "use_locking: bool = false", *attrs],
        shape=update_shape(len(states), others, is_resource),
        gradient=MISSING_GRADIENT,
        doc=doc,
        stateful=is_resource,
    )


_TYPES = {"indices": "Tindices", "global_step": "int64"}
_NESTEROV = ("use_nesterov: bool = false",)
UPDATE_SLOTS = ("update_slots: bool = true",)
TIMES_LR = ("multiply_linear_by_lr: bool = false",)
_MOMENTS = "beta1_power beta2_power lr beta1 beta2 epsilon grad"
DA_SLOTS = "var gradient_accumulator gradient_squared_accumulator"

for _name, _variables, _arguments, _attrs, _doc in (
    ("GradientDescent", "var", "alpha delta", (), "var -= alpha * delta"),
    (
        "ProximalGradientDescent",
        "var",
        "alpha l1 l2 delta",
        (),
        "Forward-backward splitting: a step of gradient descent, then shrinking by l1 and l2.",
    ),
    (
        "Momentum",
        "var accum",
        "lr grad momentum",
        _NESTEROV,
        "accum = accum * momentum + grad; var -= lr * accum, or with the look ahead of Nesterov.",
    ),
    (
        "Adam",
        "var m v",
        _MOMENTS,
        _NESTEROV,
        "Adam (Kingma and Ba, 2015): moving averages m of the gradient and v of its square; "
        "var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)",
    ),
    (
        "AdaMax",
        "var m v",
        "beta1_power lr beta1 beta2 epsilon grad",
        (),
        "AdaMax (Kingma and Ba, 2015): v = max(beta2 * v, |grad|); "
        "var -= lr / (1 - beta1_power) * m / (v + epsilon)",
    ),
    (
        "RMSProp",
        "var ms mom",
        "lr rho momentum epsilon grad",
        (),
        "ms is the moving average of grad ** 2; "
        "mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom",
    ),
    (
        "CenteredRMSProp",
        "var mg ms mom",
        "lr rho momentum epsilon grad",
        (),
        "mg and ms are the moving averages of grad and grad ** 2; "
        "mom = momentum * mom + lr * grad / sqrt(ms - mg ** 2 + epsilon); var -= mom",
    ),
    (
        "Adadelta",
        "var accum accum_update",
        "lr rho epsilon grad",
        (),
        "Adadelta (Zeiler, 2012): accum and accum_update are the moving averages of the squares of "
        "gradient and update; "
        "var -= lr * sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad",
    ),
    (
        "Adagrad",
        "var accum",
        "lr grad",
        UPDATE_SLOTS,
        "Adagrad (Duchi et al., 2011): accum += grad ** 2; var -= lr * grad / sqrt(accum)",
    ),
    (
        "AdagradV2",
        "var accum",
        "lr epsilon grad",
        UPDATE_SLOTS,
        "accum += grad ** 2; var -= lr * grad / (sqrt(accum) + epsilon)",
    ),
    (
        "ProximalAdagrad",
        "var accum",
        "lr l1 l2 grad",
        (),
        "Forward-backward splitting with the learning rate of Adagrad.",
    ),
    (
        "AdagradDA",
        DA_SLOTS,
        "grad lr l1 l2 global_step",
        (),
        "Adagrad with dual averaging (Duchi et al., 2011): var follows from the sums of the "
        "gradients and of their squares.",
    ),
    (
        "Ftrl",
        "var accum linear",
        "grad lr l1 l2 lr_power",
        TIMES_LR,
        "FTRL-proximal (McMahan et al., 2013).",
    ),
    (
        "FtrlV2",
        "var accum linear",
        "grad lr l1 l2 l2_shrinkage lr_power",
        TIMES_LR,
        "FTRL-proximal with a penalty on the magnitude: 2 * l2_shrinkage * var joins the gradient.",
    ),
    (
        "AddSign",
        "var m",
        "lr alpha sign_decay beta grad",
        (),
        "AddSign (Bello et al., 2017): m is the moving average of grad; "
        "var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad",
    ),
    (
        "PowerSign",
        "var m",
        "lr logbase sign_decay beta grad",
        (),
        "PowerSign (Bello et al., 2017): m is the moving average of grad; "
        "var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad",
    ),
):
    for _prefix in ("Apply", "ResourceApply"):
        define_update(f"{_prefix}{_name}", _variables, _arguments, _attrs, _doc)

define_update(
    "ResourceApplyKerasMomentum",
    "var accum",
    "lr grad momentum",
    _NESTEROV,
    "accum = accum * momentum - lr * grad; var += accum, or with the look ahead of Nesterov.",
)

define_update(
    "ResourceApplyAdamWithAmsgrad",
    "var m v vhat",
    _MOMENTS,
    (),
    "Adam that divides by the largest v so far (Reddi et al., 2018).",
)
