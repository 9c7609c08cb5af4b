"""Where the book finds its own repository: environment, then origin, then _config.yml."""

import subprocess

import pytest

from book_pages import repository

HOME = "https://github.com/owner/name"


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
def test_every_form_of_a_remote_gives_one_address_without_secrets(remote):
    assert repository.web_address(remote) == HOME


@pytest.mark.parametrize("remote", ["", "../book", "/srv/git/book.git", "file:///srv/git/book.git"])
def test_a_folder_has_no_address(remote):
    assert repository.web_address(remote) is None


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """An empty checkout with a _config.yml, and no variable set."""
    for name in ("BOOK_REPOSITORY", "BOOK_URL"):
        monkeypatch.delenv(name, raising=False)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "_config.yml").write_text("title: Book\n")
    monkeypatch.setattr(repository, "ROOT", tmp_path)
    return tmp_path


def add_origin(checkout, remote):
    subprocess.run(["git", "-C", checkout, "remote", "add", "origin", remote], check=True)


def test_nothing_known_means_no_repository(checkout):
    assert repository.repository() is None
    assert repository.on_github() is None
    assert repository.book_address() is None
    assert repository.commit() == "HEAD"  # no commit yet


def test_the_variable_wins_over_origin_and_origin_over_the_settings(checkout, monkeypatch):
    (checkout / "_config.yml").write_text("repository:\n  url: https://github.com/three/name\n")
    assert repository.on_github() == "three/name"
    add_origin(checkout, "git@github.com:two/name.git")
    assert repository.on_github() == "two/name"
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/one/name")
    assert repository.on_github() == "one/name"


def test_a_clone_of_a_folder_falls_back_to_the_settings(checkout):
    add_origin(checkout, "/srv/git/book.git")
    assert repository.repository() is None
    (checkout / "_config.yml").write_text(f"repository:\n  url: {HOME}\n")
    assert repository.repository() == HOME


def test_a_wrong_variable_is_not_passed_over(checkout, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY", "owner/name")
    with pytest.raises(ValueError, match=r"BOOK_REPOSITORY: expected .*, got owner/name"):
        repository.repository()


def test_colab_opens_github_only(checkout):
    add_origin(checkout, "https://gitlab.example.org/owner/name.git")
    assert repository.repository() == "https://gitlab.example.org/owner/name"
    assert repository.on_github() is None


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Owner/Name", "https://owner.github.io/name/"),
        ("Owner/owner.github.io", "https://owner.github.io/"),
    ],
)
def test_address_of_the_pages(checkout, monkeypatch, name, address):
    add_origin(checkout, f"https://github.com/{name}")
    assert repository.book_address() == address
    monkeypatch.setenv("BOOK_URL", "https://books.example.org/tensor")
    assert repository.book_address() == "https://books.example.org/tensor/"
