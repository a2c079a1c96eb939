"""tf.saved_model.SaveOptions: how SavedModels of objects are written."""

from __future__ import annotations

from enum import Enum
from typing import Any


class VariablePolicy(Enum):
    """What is written of variables beside their values."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    """Also where they are."""
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"
    """Also, and each of the copies of a variable that a strategy has on several devices."""

    @staticmethod
    def from_obj(obj: Any) -> VariablePolicy:
        """The policy that a name, None or a policy stands for.

        Raises:
          ValueError: There is none.
        """
        if obj is None or isinstance(obj, VariablePolicy):
            return obj or VariablePolicy.NONE
        for policy in VariablePolicy:
            if policy.value == str(obj).lower():
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")


class SaveOptions:
    """Options, most of them taken for compatibility.

    Args:
      namespace_whitelist: Namespaces of ops that may be saved; all if None.
      save_debug_info: Is not used.
      function_aliases: Names -> functions: the model says which functions are meant by a name.
      experimental_debug_stripper: Is not used.
      experimental_io_device: Is not used: who holds values writes them.
      experimental_variable_policy: A `VariablePolicy`, or the name of one, or None.
      experimental_custom_gradients: Is not used: gradients in Python are not written.
      experimental_image_format: Must be False, as in TensorFlow's packages.
      experimental_skip_saver: Whether there is nothing by which `tf.saved_model.load` restores
        values; `tf.saved_model.load_v2` does.
      experimental_sharding_callback: Is not used.
      extra_tags: Tags beside "serve".

    Raises:
      ValueError: `experimental_image_format` is set, or there is no such policy.
    """

    __slots__ = (
        "experimental_custom_gradients",
        "experimental_debug_stripper",
        "experimental_image_format",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_saver",
        "experimental_variable_policy",
        "extra_tags",
        "function_aliases",
        "namespace_whitelist",
        "save_debug_info",
    )

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: Any = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        if experimental_image_format:
            raise ValueError("The option `experimental_image_format` is disabled in OSS.")
        self.namespace_whitelist = namespace_whitelist
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags
