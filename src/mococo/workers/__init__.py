"""Real environments in processes of their own."""
