"""tensorflow.python.ops.linalg.linear_operator_addition: adders by the names they have there."""

from __future__ import annotations

from dataflow.library.linear_operators.addition import AddAndReturnDiag as _AddAndReturnDiag
from dataflow.library.linear_operators.addition import AddAndReturnMatrix as _AddAndReturnMatrix
from dataflow.library.linear_operators.addition import (
    AddAndReturnScaledIdentity as _AddAndReturnScaledIdentity,
)
from dataflow.library.linear_operators.addition import AddAndReturnTriL as _AddAndReturnTriL
from dataflow.library.linear_operators.addition import Adder as _Adder
from dataflow.library.linear_operators.addition import Hints as _Hints
from dataflow.library.linear_operators.addition import add_operators as add_operators

__all__ = [
    "_AddAndReturnDiag",
    "_AddAndReturnMatrix",
    "_AddAndReturnScaledIdentity",
    "_AddAndReturnTriL",
    "_Adder",
    "_Hints",
]
