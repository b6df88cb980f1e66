"""Files that commands write: never over one that they read, and complete or not at all."""

import os
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from types import MethodType
from typing import Any

from .errors import BadInput, OneLineErrors


class Commands(OneLineErrors):
    """Commands that refuse to write over a file that they read, before they do anything."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Command of a name; None if there is none."""
        command: Any = super().get_command(ctx, cmd_name)
        if command is not None:
            command.invoke = MethodType(_invoke_checked, command)
        return command


def _invoke_checked(command: Any, context: Any) -> Any:
    refuse_overwriting(command.params, context.params)
    return type(command).invoke(command, context)


def refuse_overwriting(parameters: Sequence[Any], values: dict[str, Any]) -> None:
    """Refuse a command whose options name a file to write that it reads, or the same file twice.

    Arguments of commands are files that they read, options of the type of a path are files that they write.
    """
    inputs = list(_paths(parameters, values, "argument"))
    outputs = list(_paths(parameters, values, "option"))
    for name, path in outputs:
        for _, other in inputs:
            if _same_file(path, other):
                raise BadInput(f"{name} names {other}, which is read: writing there would destroy it.")
    for (name, path), (other_name, other) in combinations(outputs, 2):
        if _same_file(path, other):
            raise BadInput(f"{name} and {other_name} name the same file, {path}.")


def _paths(parameters: Sequence[Any], values: dict[str, Any], kind: str) -> Iterator[tuple[str, Path]]:
    """Names and paths of all parameters of a kind, "argument" or "option"."""
    for parameter in parameters:
        if parameter.param_type_name == kind:
            value = values.get(parameter.name)
            for path in value if isinstance(value, list | tuple) else [value]:
                if isinstance(path, Path):
                    yield max(parameter.opts, key=len), path


def _same_file(a: Path, b: Path) -> bool:
    """Whether two paths lead to one file, through links, too."""
    if os.path.realpath(a) == os.path.realpath(b):
        return True
    return a.is_file() and b.is_file() and os.path.samefile(a, b)
