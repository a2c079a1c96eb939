"""What documents say that is found by counting, and how the site is made."""
