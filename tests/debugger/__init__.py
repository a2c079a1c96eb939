"""Tests of `dataflow.debugger`."""
