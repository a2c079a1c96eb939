"""What the stages of a pipeline tell of themselves, and under which names."""
