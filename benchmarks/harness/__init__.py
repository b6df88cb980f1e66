"""What all benchmarks share: problems, contenders, timed runs, fresh processes, reports."""
