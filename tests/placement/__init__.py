"""Tests of graphs that are cut over devices."""
