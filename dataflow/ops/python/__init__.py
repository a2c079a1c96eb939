"""Ops that call functions of the program."""
