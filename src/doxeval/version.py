"""The version of doxeval, where every room can see it."""

__version__ = "0.2.0"


def commit() -> str | None:
    """Return the commit that this is, with + if files differ from it; None where nobody knows.

    A package has it in a file of its own; in a checkout, git is asked.
    """
    import subprocess
    from pathlib import Path

    here = Path(__file__).parent
    packed = here / "commit.txt"
    if packed.exists():
        return packed.read_text(encoding="ascii").strip()
    if not (here.parents[1] / ".git").exists():
        return None
    command = ["git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"]
    try:
        said = subprocess.run(  # noqa: S603  the words of this command are fixed
            command, cwd=here, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.strip()
