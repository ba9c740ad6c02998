"""The `mococo` command: one file for each sub-command; the only place that prints."""
