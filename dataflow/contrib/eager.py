"""tf.contrib.eager: what of it graphs have; the other names fail when they are called."""

import typing as _typing

import dataflow.contrib.absent as _absent
import dataflow.variables.resource_variable as _resource_variable
from dataflow.differentiation.custom_gradient import custom_gradient as custom_gradient
from dataflow.differentiation.tape import GradientTape as GradientTape
from dataflow.library.behavior import enable_eager_execution as enable_eager_execution
from dataflow.library.behavior import executing_eagerly as executing_eagerly
from dataflow.library.concrete.defun import defun as defun
from dataflow.library.concrete.polymorphic import function as function
from dataflow.library.datasets.specs import TensorSpec as TensorSpec
from dataflow.saving.checkpoint.checkpoint import Checkpoint as Checkpoint
from dataflow.variables.template import make_template as make_template

Variable = _resource_variable.ResourceVariable
in_eager_mode = executing_eagerly

if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _typing.Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _absent.Absent(
            f"tf.contrib.eager.{name}", "there is no eager execution; graphs and sessions run here"
        )
