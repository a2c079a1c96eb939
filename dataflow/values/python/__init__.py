"""What the program gives to steps as Python code."""
