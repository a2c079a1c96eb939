"""Rows of ops on a GPU, held against recorded answers of TensorFlow's.

Where there is a GPU, there need be no TensorFlow: `python -m tests.gpu.record FILE` on a machine
with TensorFlow, then `python -m tests.gpu.replay FILE` on one with cupy.
"""
