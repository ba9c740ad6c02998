"""What can be learnt about environments and results without running the algorithm."""
