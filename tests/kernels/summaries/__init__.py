"""What summaries are made of."""
