"""How many small faults put into the library the tests notice: python -m tools.mutants."""
