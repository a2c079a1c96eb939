"""Rows for the ops of dataflow/ops/boosted_trees/.

TensorFlow has their schemas and shape functions, and no kernels any more: nothing runs here. What
they compute is compared in tests/kernels/boosted_trees/.
"""
