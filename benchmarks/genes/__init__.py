"""Few rows of many features: spike-and-slab classifiers and their peers on microarrays."""
