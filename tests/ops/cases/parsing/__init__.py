"""Rows for the ops of dataflow/ops/parsing/."""
