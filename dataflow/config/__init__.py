"""tf.config: the devices of this machine, and what sessions have that get no options."""

import dataflow.library.concrete.direct as _direct
from dataflow.config import experimental as experimental
from dataflow.config import optimizer as optimizer
from dataflow.config import threading as threading
from dataflow.library.concrete.direct import functions_run_eagerly as functions_run_eagerly
from dataflow.library.concrete.direct import run_functions_eagerly as run_functions_eagerly
from dataflow.session.defaults import get_soft_device_placement as get_soft_device_placement
from dataflow.session.defaults import set_soft_device_placement as set_soft_device_placement
from dataflow.session.local_devices import LogicalDevice as LogicalDevice
from dataflow.session.local_devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from dataflow.session.local_devices import PhysicalDevice as PhysicalDevice
from dataflow.session.local_devices import experimental_list_devices as experimental_list_devices
from dataflow.session.local_devices import (
    get_logical_device_configuration as get_logical_device_configuration,
)
from dataflow.session.local_devices import get_visible_devices as get_visible_devices
from dataflow.session.local_devices import list_logical_devices as list_logical_devices
from dataflow.session.local_devices import list_physical_devices as list_physical_devices
from dataflow.session.local_devices import (
    set_logical_device_configuration as set_logical_device_configuration,
)
from dataflow.session.local_devices import set_visible_devices as set_visible_devices

experimental_functions_run_eagerly = _direct.functions_run_eagerly
experimental_run_functions_eagerly = _direct.run_functions_eagerly
