"""TypeScript: JavaScript with types, which do nothing when the program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ralph.proof.languages.javascript import JavaScript

if TYPE_CHECKING:
    from ralph.proof.languages.expectation import Edit
    from ralph.proof.languages.trees import Function, Parsed


class TypeScript(JavaScript):
    name: ClassVar = "TypeScript"
    endings: ClassVar[tuple[str, ...]] = (".ts", ".mts", ".cts")
    grammar: ClassVar = ("tree_sitter_typescript", "language_typescript")
    types_are: ClassVar = frozenset(
        (
            *("type_annotation", "interface_declaration", "type_alias_declaration"),
            *("type_parameters", "type_arguments", "function_signature", "ambient_declaration"),
            *("abstract_method_signature", "method_signature", "accessibility_modifier"),
        )
    )

    def emptied(self, parsed: Parsed, function: Function, value: str) -> Edit:
        return super().emptied(parsed, function, f"({value}) as any")


class TypeScriptWithTags(TypeScript):
    """The same with elements of a page between its lines."""

    name: ClassVar = "TypeScript"
    endings: ClassVar[tuple[str, ...]] = (".tsx",)
    grammar: ClassVar = ("tree_sitter_typescript", "language_tsx")
