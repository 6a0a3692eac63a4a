"""Validates JSON against a schema: the part of JSON Schema (draft 2020-12) that docs/schema uses, and no more.

A keyword that is not known here is an error of the schema, so that nothing is believed to be checked that is not.
"""
import re

ANNOTATIONS = {"$schema", "$defs", "title", "description"}
TYPES = {
    "object": lambda x: isinstance(x, dict),
    "array": lambda x: isinstance(x, list),
    "string": lambda x: isinstance(x, str),
    "boolean": lambda x: isinstance(x, bool),
    "null": lambda x: x is None,
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "number": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
}


def same(a, b):
    return type(a) is type(b) and a == b  # true is not 1


class Schema:
    def __init__(self, root):
        self.root = root

    def errors(self, value):
        """What is wrong with a value, each with its place; empty: it is valid."""
        return list(self._errors(value, self.root, "$"))

    def _errors(self, value, schema, where):
        for keyword, rule in schema.items():
            if keyword in ANNOTATIONS:
                continue
            check = getattr(self, "_" + keyword.lstrip("$"), None)
            if check is None:
                raise ValueError(f"keyword {keyword} is not known to this validator")
            yield from check(value, rule, schema, where)

    def _ref(self, value, rule, schema, where):
        target = self.root
        for part in rule.removeprefix("#/").split("/"):
            target = target[part]
        yield from self._errors(value, target, where)

    def _type(self, value, rule, schema, where):
        allowed = [rule] if isinstance(rule, str) else rule
        if not any(TYPES[name](value) for name in allowed):
            yield f"{where}: {value!r} is not of type {' or '.join(allowed)}"

    def _const(self, value, rule, schema, where):
        if not same(value, rule):
            yield f"{where}: {value!r} is not {rule!r}"

    def _enum(self, value, rule, schema, where):
        if not any(same(value, one) for one in rule):
            yield f"{where}: {value!r} is none of {rule}"

    def _minimum(self, value, rule, schema, where):
        if TYPES["number"](value) and value < rule:
            yield f"{where}: {value!r} is less than {rule}"

    def _pattern(self, value, rule, schema, where):
        if isinstance(value, str) and not re.search(rule, value):
            yield f"{where}: does not match {rule}"

    def _required(self, value, rule, schema, where):
        if isinstance(value, dict):
            yield from (f"{where}: {key} is missing" for key in rule if key not in value)

    def _properties(self, value, rule, schema, where):
        if isinstance(value, dict):
            for key in value.keys() & rule.keys():
                yield from self._errors(value[key], rule[key], f"{where}.{key}")

    def _patternProperties(self, value, rule, schema, where):
        if isinstance(value, dict):
            for key in value:
                for pattern, inside in rule.items():
                    if re.search(pattern, key):
                        yield from self._errors(value[key], inside, f"{where}.{key}")

    def _additionalProperties(self, value, rule, schema, where):
        if not isinstance(value, dict):
            return
        patterns = schema.get("patternProperties", {})
        for key in value:
            if key in schema.get("properties", {}) or any(re.search(pattern, key) for pattern in patterns):
                continue
            if rule is False:
                yield f"{where}: {key} is not described"
            else:
                yield from self._errors(value[key], rule, f"{where}.{key}")

    def _items(self, value, rule, schema, where):
        if isinstance(value, list):
            for i, item in enumerate(value):
                yield from self._errors(item, rule, f"{where}[{i}]")

    def _minItems(self, value, rule, schema, where):
        if isinstance(value, list) and len(value) < rule:
            yield f"{where}: fewer than {rule} items"

    def _maxItems(self, value, rule, schema, where):
        if isinstance(value, list) and len(value) > rule:
            yield f"{where}: more than {rule} items"

    def _anyOf(self, value, rule, schema, where):
        alternatives = [list(self._errors(value, one, where)) for one in rule]
        if all(alternatives):
            yield min(alternatives, key=len)[0]

    def _oneOf(self, value, rule, schema, where):
        alternatives = [list(self._errors(value, one, where)) for one in rule]
        valid = sum(not errors for errors in alternatives)
        if valid == 0:
            yield from min(alternatives, key=len)
        elif valid > 1:
            yield f"{where}: is {valid} things at once"
