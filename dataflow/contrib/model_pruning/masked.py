"""Layers whose kernel is masked."""

from __future__ import annotations

from typing import Any, ClassVar

from dataflow.contrib.model_pruning.masks import MASKED_WEIGHT_NAME, remember
from dataflow.library.layers.convolution import Conv2D
from dataflow.library.layers.dense import Dense
from dataflow.library.layers.layer import Layer
from dataflow.ops.math.binary import multiply
from dataflow.variables.initializers import Ones, Zeros


class Masked(Layer):
    """Before a layer's class: its kernel is masked where it is used."""

    mask: Any
    threshold: Any
    masked_kernel: Any
    _kernel_name: ClassVar[str] = "kernel"
    """The attribute that holds it."""

    def build(self, input_shape: Any) -> None:
        """Makes the layer's variables, `mask` and `threshold`."""
        self.mask = None
        super().build(input_shape)
        if self.mask is None:
            self.built = False
            self._add_mask(getattr(self, self._kernel_name))
            self.built = True

    def add_weight(self, name: Any, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable; a kernel's mask comes right after it."""
        made = super().add_weight(name, *args, **kwargs)
        if name == self._kernel_name:
            self._add_mask(made)
        return made

    def _add_mask(self, kernel: Any) -> None:
        self.mask = self.add_weight("mask", kernel.shape, initializer=Ones(), trainable=False)
        self.threshold = self.add_weight("threshold", [], initializer=Zeros(), trainable=False)
        self.masked_kernel = multiply(self.mask, kernel, MASKED_WEIGHT_NAME)
        remember(self.mask, self.threshold, self.masked_kernel, kernel)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """What the layer does, with the masked kernel."""
        kernel = getattr(self, self._kernel_name)
        setattr(self, self._kernel_name, self.masked_kernel)
        try:
            return super().call(inputs, *args, **kwargs)
        finally:
            setattr(self, self._kernel_name, kernel)


class MaskedConv2D(Masked, Conv2D):
    """`tf.layers.Conv2D` with a mask."""


class MaskedFullyConnected(Masked, Dense):
    """`tf.layers.Dense` with a mask."""
