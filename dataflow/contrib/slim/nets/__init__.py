"""slim.nets: nets for images that have names."""

import typing as _typing

import dataflow.values.submodules as _submodules

if _typing.TYPE_CHECKING:
    from dataflow.contrib.slim.nets import alexnet as alexnet
    from dataflow.contrib.slim.nets import inception as inception
    from dataflow.contrib.slim.nets import overfeat as overfeat
    from dataflow.contrib.slim.nets import resnet_utils as resnet_utils
    from dataflow.contrib.slim.nets import resnet_v1 as resnet_v1
    from dataflow.contrib.slim.nets import resnet_v2 as resnet_v2
    from dataflow.contrib.slim.nets import vgg as vgg
else:
    __getattr__, __dir__ = _submodules.on_demand(
        __name__, hidden=("inception_layers", "inception_tables", "plain_nets", "resnet_units")
    )
