"""Public functions built only on ops, functions and variables; knows no session and no file."""
