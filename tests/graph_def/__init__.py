"""Tests of GraphDef in and out."""
