"""To be written: what this room is for."""
