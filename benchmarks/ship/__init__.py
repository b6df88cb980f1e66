"""Models that leave: sizes, latencies, agreement of exports, and distillation."""
