"""What reads bytes that came from elsewhere, tried with bytes that are nearly right."""
