"""The command line: ``pauca fit``, ``predict``, ``compare``, ``rank``, ``prune``, ``reproduce``, ``demo``."""

import sys

from .missing_packages import is_missing_package, missing_package_message


def main() -> int | None:
    """Run the command line; without the packages it needs, name the extra that installs them."""
    try:
        from .app import app
    except ImportError as error:
        if not is_missing_package(error):
            raise
        print(f"pauca: {missing_package_message(error)}", file=sys.stderr)
        return 1
    app(prog_name="pauca")
    return None
