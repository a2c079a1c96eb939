"""Tests of dataflow/library/."""
