"""Resumable runs: jobs, the processes or cluster that work through them, and the store of their results."""
