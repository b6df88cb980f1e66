"""Speed, memory and quality of pauca's machines beside their peers; see README.md."""
