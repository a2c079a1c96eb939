"""A program that asks pkg_resources and distutils for versions and files."""

import os
import sys
from distutils.version import LooseVersion, StrictVersion

import pkg_resources
import tensorflow as tf
from pkg_resources import parse_version

assert LooseVersion(tf.__version__) >= LooseVersion("1.4.0") and LooseVersion("1.10") > "1.9"
assert StrictVersion("1.2a1") < "1.2" < StrictVersion("1.10.1")
assert parse_version("1.15.0rc1") < parse_version("1.15.0") < parse_version("2.0")
print(pkg_resources.get_distribution("numpy>=1.0,<99").version)
print(pkg_resources.require("numpy")[0].key)
print(os.path.basename(pkg_resources.resource_filename(__name__, "former_names.py")))
print(pkg_resources.resource_string(__name__, "former_names.py")[:3])
assert sys.version_info >= (3, 12) or "dataflow" not in LooseVersion.__module__
