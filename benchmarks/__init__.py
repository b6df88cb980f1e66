"""Speed, memory and quality of laconic's machines beside their peers; see README.md."""
