"""Where the book finds its own repository: the first of four places that says something."""

import subprocess

import pytest

from book_pages import repository

HOME = "https://github.com/owner/name"
VARIABLES = ("BOOK_REPOSITORY", "BOOK_URL", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Set the origin of an empty checkout that has a _config.yml and no variable set."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "_config.yml").write_text("title: Book\n")
    monkeypatch.setattr(repository, "ROOT", tmp_path)

    def set_origin(remote):
        subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", remote], check=True)

    return set_origin


@pytest.mark.parametrize(
    "remote",
    [
        HOME,
        f"{HOME}.git",
        f"{HOME}/",
        "git@github.com:owner/name.git",
        "ssh://git@github.com:22/owner/name.git",
        "https://someone:secret@github.com/owner/name.git",
        "https://secret@github.com/owner/name",
    ],
)
def test_every_form_of_a_remote_gives_one_name_without_secrets(checkout, remote):
    checkout(remote)
    assert repository.repository() == "owner/name"


@pytest.mark.parametrize(
    "remote",
    ["../book", "/srv/git/book.git", "file:///srv/book.git", "https://example.org/owner/name"],
)
def test_a_folder_and_another_host_give_none(checkout, remote):
    checkout(remote)
    assert repository.repository() is repository.book_address() is None


def test_the_first_place_that_says_something_wins(checkout, monkeypatch, tmp_path):
    assert repository.repository() is repository.book_address() is None
    checkout("git@github.com:four/name.git")
    assert repository.repository() == "four/name"
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "three/name")
    assert repository.repository() == "three/name"
    (tmp_path / "_config.yml").write_text("repository:\n  url: https://github.com/two/name\n")
    assert repository.repository() == "two/name"
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/one/name")
    assert repository.repository() == "one/name"


def test_a_wrong_variable_is_not_passed_over(checkout, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY", "owner/name")
    with pytest.raises(ValueError, match=rf"BOOK_REPOSITORY: expected .* {HOME}, got owner/name"):
        repository.repository()


def test_where_git_is_not_installed_nothing_is_known(checkout, monkeypatch):
    checkout(HOME)
    monkeypatch.setenv("PATH", "")
    assert repository.git("remote", "get-url", "origin") == ""
    assert repository.repository() is None


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Owner/Name", "https://owner.github.io/name/"),
        ("Owner/owner.github.io", "https://owner.github.io/"),
    ],
)
def test_address_of_the_pages(checkout, monkeypatch, name, address):
    checkout(f"https://github.com/{name}")
    assert repository.book_address() == address
    monkeypatch.setenv("BOOK_URL", "https://books.example.org/tensor")
    assert repository.book_address() == "https://books.example.org/tensor/"
