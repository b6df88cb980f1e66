"""What the commands print, draw and write."""
