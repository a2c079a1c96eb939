"""Configured: what a layer of tf.layers tells of itself as those of tf.keras do."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from dataflow.library.layers.arguments import told
from dataflow.values import nest

_OF_ALL = ("self", "trainable", "name", "dtype", "kwargs", "args")


class Configured:
    """The part of a layer that has a configuration, and masks, of which there are none."""

    name: Any
    dtype: Any
    trainable: Any
    get_input_at: Any
    get_output_at: Any
    input: Any
    output: Any
    _inbound_nodes: list[Any]
    _outbound_nodes: list[Any]

    supports_masking: Any = False
    _arguments_of: ClassVar[type | None] = None
    _untold: ClassVar[tuple[str, ...]] = ()
    """Arguments that no configuration tells."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # What a class of a program's takes is none of the arguments of the library's.
        is_own = cls.__module__.startswith("dataflow.") and Configured not in cls.__bases__
        if is_own and "__init__" in vars(cls):
            cls._arguments_of = cls

    def get_config(self) -> dict[str, Any]:
        """What `from_config` makes the layer of again.

        Raises:
          NotImplementedError: A class of a program's own takes arguments and does not tell them.
        """
        known = self._arguments_of
        config = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
        own = list(inspect.signature(type(self).__init__).parameters)
        names: list[str] = []
        if known is not None:
            names = list(inspect.signature(known.__init__).parameters)  # type: ignore[misc]
        names = [each for each in names if each not in (*_OF_ALL, *self._untold)]
        if not names and set(own) - {*_OF_ALL, "activity_regularizer"}:
            raise NotImplementedError(
                "Layers with arguments in `__init__` must override `get_config`."
            )
        return {**config, **{each: self._self_told(each) for each in names}}

    def _self_told(self, name: str) -> Any:
        value = getattr(self, name)
        if name == "activation" and value is None:
            return "linear"
        return told(value)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer of what `get_config` gave."""
        return cls(**config)

    @property
    def dynamic(self) -> bool:
        """False: it runs in graphs."""
        return False

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The layers in it: none."""
        return ()

    @property
    def inbound_nodes(self) -> list[Any]:
        """Its calls on tensors of layers of tf.keras."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Any]:
        """Calls of layers of tf.keras on its outputs."""
        return self._outbound_nodes

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the outputs: that of the inputs, if the layer supports masks.

        Raises:
          TypeError: There is one, and it does not.
        """
        if self.supports_masking:
            return mask
        if any(each is not None for each in nest.flatten(mask)):
            raise TypeError(
                f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}"
            )
        return None

    @property
    def input_mask(self) -> Any:
        """The mask of the input of the only call."""
        return _masks(self.input)

    @property
    def output_mask(self) -> Any:
        """The mask of the output of the only call."""
        return _masks(self.output)

    def get_input_mask_at(self, node_index: int) -> Any:
        """The masks of the inputs of one of the calls."""
        return _masks(self.get_input_at(node_index))

    def get_output_mask_at(self, node_index: int) -> Any:
        """The masks of the outputs of one of the calls."""
        return _masks(self.get_output_at(node_index))


def _masks(tensors: Any) -> Any:
    return nest.map_structure(lambda each: getattr(each, "_keras_mask", None), tensors)
