"""Updates of rows of a variable and of its slots by a sparse gradient."""

from __future__ import annotations

from dataflow.ops.state.updates import DA_SLOTS, TIMES_LR, UPDATE_SLOTS, define_update

_NESTEROV = ("use_nesterov: bool = false",)

for _name, _variables, _arguments, _attrs in (
    ("ProximalGradientDescent", "var", "alpha l1 l2 grad indices", ()),
    ("Momentum", "var accum", "lr grad indices momentum", _NESTEROV),
    ("RMSProp", "var ms mom", "lr rho momentum epsilon grad indices", ()),
    ("CenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad indices", ()),
    ("Adadelta", "var accum accum_update", "lr rho epsilon grad indices", ()),
    ("Adagrad", "var accum", "lr grad indices", UPDATE_SLOTS),
    ("AdagradV2", "var accum", "lr epsilon grad indices", UPDATE_SLOTS),
    ("ProximalAdagrad", "var accum", "lr l1 l2 grad indices", ()),
    ("AdagradDA", DA_SLOTS, "grad indices lr l1 l2 global_step", ()),
    ("Ftrl", "var accum linear", "grad indices lr l1 l2 lr_power", TIMES_LR),
    ("FtrlV2", "var accum linear", "grad indices lr l1 l2 l2_shrinkage lr_power", TIMES_LR),
):
    for _prefix in ("SparseApply", "ResourceSparseApply"):
        define_update(
            f"{_prefix}{_name}",
            _variables,
            _arguments,
            _attrs,
            f"What Apply{_name} does, to the rows of an index vector, one after the other.",
        )

define_update(
    "ResourceSparseApplyKerasMomentum",
    "var accum",
    "lr grad indices momentum",
    _NESTEROV,
    "What ResourceApplyKerasMomentum does, to the rows of an index vector, one after the other.",
)
