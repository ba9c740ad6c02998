"""The folder of a run: what is written and read back."""
