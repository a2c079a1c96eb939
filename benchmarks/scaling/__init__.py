"""What a step costs at sizes that one machine does not have: the programs and the model."""
