"""Episodes of decoded policies on real environments: the counterpart of `rollout`."""
