"""The work of each command, one module for each; `pauca.cli.app` declares their options."""
