"""Expectation propagation in dual form, for latent values whose labels are noisy."""
