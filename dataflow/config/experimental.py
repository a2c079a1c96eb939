"""tf.config.experimental: what tf.config has, by the names it had first, and GPUs' memory."""

import dataflow.session.local_devices as _devices
from dataflow.eager.modes import get_device_policy as get_device_policy
from dataflow.eager.modes import get_synchronous_execution as get_synchronous_execution
from dataflow.eager.modes import set_device_policy as set_device_policy
from dataflow.eager.modes import set_synchronous_execution as set_synchronous_execution
from dataflow.session.local_devices import get_memory_growth as get_memory_growth
from dataflow.session.local_devices import get_visible_devices as get_visible_devices
from dataflow.session.local_devices import list_logical_devices as list_logical_devices
from dataflow.session.local_devices import list_physical_devices as list_physical_devices
from dataflow.session.local_devices import set_memory_growth as set_memory_growth
from dataflow.session.local_devices import set_visible_devices as set_visible_devices
from dataflow.session.switches import disable_mlir_bridge as disable_mlir_bridge
from dataflow.session.switches import enable_mlir_bridge as enable_mlir_bridge
from dataflow.session.switches import (
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
)
from dataflow.session.switches import (
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)

VirtualDeviceConfiguration = _devices.LogicalDeviceConfiguration
get_virtual_device_configuration = _devices.get_logical_device_configuration
set_virtual_device_configuration = _devices.set_logical_device_configuration
