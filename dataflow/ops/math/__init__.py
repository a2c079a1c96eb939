"""Arithmetic element by element, and its functions; imports `basic` and `array`, no reductions."""
