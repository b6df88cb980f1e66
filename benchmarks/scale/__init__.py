"""Millions of rows: time, memory and loss beside peers, and the cost model of a cluster."""
