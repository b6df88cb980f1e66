"""Tables of the user: files, kinds of columns, the target, and the encoding as numbers."""
