"""Where this book's source is, found when the book is built and written down nowhere.

The repository is, in this order: the environment variable BOOK_REPOSITORY, the checkout's
`origin`, `repository: url:` in _config.yml. The address of the published pages is BOOK_URL,
or what GitHub Pages makes of the repository's name.
"""

import os
import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
# https://user:token@host/owner/name.git, ssh://git@host/owner/name, git@host:owner/name.git
ADDRESS = re.compile(r"(?:\w+://)?(?:[^@/]+@)?([\w.-]+\.\w+)(?::\d+)?[:/](.+?)(?:\.git)?/?")


def web_address(remote):
    """The https address behind a git remote, without user or token; None if it has none."""
    match = ADDRESS.fullmatch(remote.strip())
    return "https://{}/{}".format(*match.groups()) if match else None


def git(*arguments):
    """What git says about the checkout; nothing where there is no git or no checkout."""
    try:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def stated(source, remote):
    """The address that somebody wrote down, or None if nobody did.

    Raises:
        ValueError: what is written there is no address.
    """
    if remote and not web_address(remote):
        raise ValueError(f"{source}: expected an https or git address, got {remote}")
    return web_address(remote or "")


def configured():
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return settings.get("repository", {}).get("url")


def repository():
    """The address of the repository, such as https://github.com/owner/name, or None."""
    return (
        stated("BOOK_REPOSITORY", os.environ.get("BOOK_REPOSITORY"))
        or web_address(git("remote", "get-url", "origin"))  # a folder has none
        or stated("repository: url: in _config.yml", configured())
    )


def commit():
    return git("rev-parse", "HEAD") or "HEAD"


def on_github():
    """The repository as owner/name if it is on GitHub, the one host that Colab opens, or None."""
    host, _, name = (repository() or "").removeprefix("https://").partition("/")
    return name if host == "github.com" and name.count("/") == 1 else None


def book_address():
    """Where the pages will be, with a slash at its end, or None."""
    if address := os.environ.get("BOOK_URL"):
        return address.rstrip("/") + "/"
    if name := on_github():
        owner, project = name.lower().split("/")
        own_site = project == f"{owner}.github.io"
        return f"https://{owner}.github.io/" + ("" if own_site else f"{project}/")
    return None
