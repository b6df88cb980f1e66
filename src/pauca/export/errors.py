"""The error of models that cannot be exported."""


class CannotExport(ValueError):
    """A model, or a step before it, has no portable form."""
