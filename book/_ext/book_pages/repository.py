"""Where this book lives: its repository on GitHub, and the address of its pages.

The repository is, in this order: the environment variable BOOK_REPOSITORY, `repository: url:`
in _config.yml, the one whose workflow is running, the checkout's `origin`. The address of the
pages is BOOK_URL, or what GitHub Pages makes of the repository's name.
"""

import os
import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
PAGES_BRANCH = "gh-pages"  # where make publish puts the built pages
# https://user:token@github.com/owner/name.git, ssh://git@github.com/…, git@github.com:owner/name
GITHUB = re.compile(
    r"(?:\w+://)?(?:[^@/]+@)?github\.com(?::\d+)?[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?"
)


def git(*arguments):
    """What git says about the checkout; nothing where there is no git or no checkout."""
    try:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def repository():
    """The repository as owner/name if it is on GitHub, the one host that Colab opens, or None.

    Raises:
        ValueError: BOOK_REPOSITORY is no address on GitHub.
    """
    stated = os.environ.get("BOOK_REPOSITORY")
    if stated and not GITHUB.fullmatch(stated):
        expected = "expected an address such as https://github.com/owner/name"
        raise ValueError(f"BOOK_REPOSITORY: {expected}, got {stated}")
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    workflow = [os.environ.get(f"GITHUB_{name}") for name in ("SERVER_URL", "REPOSITORY")]
    known = (
        stated
        or settings.get("repository", {}).get("url")
        or (all(workflow) and "/".join(workflow))
        or git("remote", "get-url", "origin")
    )
    match = GITHUB.fullmatch(known)
    return match and match[1]


def book_address():
    """Where the pages will be, with a slash at its end, or None."""
    if address := os.environ.get("BOOK_URL"):
        return address.rstrip("/") + "/"
    if name := repository():
        owner, project = name.lower().split("/")
        own_site = project == f"{owner}.github.io"
        return f"https://{owner}.github.io/" + ("" if own_site else f"{project}/")
    return None
