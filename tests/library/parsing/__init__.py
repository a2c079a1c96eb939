"""Tests of dataflow/library/parsing/."""
