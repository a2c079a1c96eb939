"""tf.contrib.session_bundle: how models were exported before there were SavedModels."""

from dataflow.contrib.session_bundle import bundle_shim as bundle_shim
from dataflow.contrib.session_bundle import constants as constants
from dataflow.contrib.session_bundle import exporter as exporter
from dataflow.contrib.session_bundle import gc as gc
from dataflow.contrib.session_bundle import session_bundle as session_bundle
from dataflow.proto import session_bundle_manifest_pb2

manifest_pb2 = session_bundle_manifest_pb2
