"""Checks of scores as JUnit XML, which services that run tests can show."""

from __future__ import annotations

from doxeval.comparison.gates import Check, Gates
from doxeval.markup import attribute_value, escaped
from doxeval.messages import escape, utf8

_KINDS = {"limit": "limit", "drop": "drop since the baseline"}


def junit_xml(gates: Gates) -> bytes:
    """One test suite for each run, one test case for each check.

    >>> gates = Gates((Check("mine", "P", "limit", "failed", "P is 0.3000, 0.1000 below …"),))
    >>> print(junit_xml(gates).decode())
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="doxeval" tests="1" failures="1" errors="0" skipped="0">
     <testsuite name="mine" tests="1" failures="1" errors="0" skipped="0">
      <testcase classname="mine" name="P, limit">
       <failure message="P is 0.3000, 0.1000 below …"/>
      </testcase>
     </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    runs = dict.fromkeys(check.run for check in gates.checks)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="doxeval" {_counts(gates.checks)}>',
    ]
    for number, run in enumerate(runs):
        own = tuple(check for check in gates.checks if check.run == run)
        lines.append(f" <testsuite name={_value(run)} {_counts(own)}>")
        lines += [line for check in own for line in _case(check)]
        if gates.warnings and not number:  # the format has no place for warnings about everything
            told = "\n".join(map(_allowed, gates.warnings))
            lines.append(f"  <system-err>{escaped(told)}</system-err>")
        lines.append(" </testsuite>")
    return utf8("\n".join([*lines, "</testsuites>", ""]))


def _case(check: Check) -> list[str]:
    name = f"{check.measure}, {_KINDS[check.kind]}"
    head = f"  <testcase classname={_value(check.run)} name={_value(name)}"
    if check.state == "passed":
        return [f"{head}/>"]
    tag = "failure" if check.state == "failed" else "skipped"
    return [f"{head}>", f"   <{tag} message={_value(check.message)}/>", "  </testcase>"]


def _counts(checks: tuple[Check, ...]) -> str:
    failed = sum(check.state == "failed" for check in checks)
    skipped = sum(check.state == "skipped" for check in checks)
    return f'tests="{len(checks)}" failures="{failed}" errors="0" skipped="{skipped}"'


def _value(text: str) -> str:
    return attribute_value(_allowed(text))


def _allowed(text: str) -> str:
    """Text with characters that XML cannot hold shown as escapes."""
    return escape(text).replace("\ufffe", r"\ufffe").replace("\uffff", r"\uffff")
