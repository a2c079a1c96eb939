"""The kernels, written once against `xp`, numpy or cupy; folders are those of `dataflow/ops`."""
