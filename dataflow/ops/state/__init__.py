"""Ops on variables and what updates them; imports up to `lists`, knows no Variable class."""
