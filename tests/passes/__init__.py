"""Tests of the compiler passes."""
