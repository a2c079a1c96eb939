"""tf.saved_model.SaveOptions: how SavedModels of objects are written."""

from __future__ import annotations

from typing import Any


class SaveOptions:
    """Options, most of them taken for compatibility.

    Args:
      namespace_whitelist: Namespaces of ops that may be saved; all if None.
      save_debug_info: Is not used.
      function_aliases: Names -> functions: the model says which functions are meant by a name.
      experimental_debug_stripper: Is not used.
      experimental_io_device: Is not used: who holds values writes them.
      experimental_variable_policy: Is not used.
      experimental_custom_gradients: Is not used.
      experimental_image_format: Must be False, as in TensorFlow's packages.
      experimental_skip_saver: Is not used.
      experimental_sharding_callback: Is not used.
      extra_tags: Tags beside "serve".

    Raises:
      ValueError: `experimental_image_format` is set.
    """

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
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags
