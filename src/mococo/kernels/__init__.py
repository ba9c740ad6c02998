"""Everything compiled: arrays in, arrays out. Imports nothing else of Mococo and draws no random numbers."""
