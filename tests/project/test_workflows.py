"""What other machines run, and what the texts tell readers to type, is there."""

import re
import shutil
import subprocess

import pytest
import yaml

from book_pages.repository import PAGES_BRANCH
from tests.support.notebook_guard import ROOT

WORKFLOWS = sorted((ROOT / ".github").rglob("*.yml"))
# Pages that name commands; the questions quote messages, in which "make" is a verb.
PAGES = sorted({*(ROOT / "book").glob("*.md")} - {ROOT / "book" / "questions.md"})
TEXTS = [ROOT / "README.md", *PAGES]
OTHERS = [
    *WORKFLOWS,
    ROOT / ".readthedocs.yaml",
    ROOT / ".binder" / "postBuild",
    ROOT / ".ci" / "run",
]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
COMMAND = re.compile(r"\bmake((?: +[a-z-]+(?![^\s`]))+)")
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)  # of a text in Markdown
COMMENT = re.compile(r"^ *#.*$", re.MULTILINE)
PATH = re.compile(r"[\w./*-]+\.(?:md|txt|yml|py|sh)\b")


def called(text, suffix=""):
    """The targets that a file calls."""
    code = "\n".join(CODE.findall(text)) if suffix == ".md" else COMMENT.sub("", text)
    return {target for targets in COMMAND.findall(code) for target in targets.split()}


def steps(workflow):
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8")).get("jobs", {})
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("file", [*OTHERS, *TEXTS], ids=lambda path: path.name)
def test_every_target_that_is_called_exists(file):
    assert called(file.read_text(encoding="utf-8"), file.suffix) <= TARGETS


@pytest.mark.parametrize("file", OTHERS, ids=lambda path: path.name)
def test_every_file_that_is_named_exists(file):
    for name in PATH.findall(file.read_text(encoding="utf-8")):
        assert [*ROOT.glob(name), *file.parent.glob(name)], name


def test_everything_that_is_documented_is_a_target():
    declared = re.search(r"^\.PHONY:((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)[1]
    assert set(declared.replace("\\\n", " ").split()) == TARGETS


@pytest.mark.parametrize("workflow", [w for w in WORKFLOWS if w.parent.name == "workflows"])
def test_workflows_only_call_make_and_named_commits(workflow):
    for step in steps(workflow):
        if "run" in step:
            assert step["run"].startswith("make ")
        else:
            assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])


def test_an_action_has_one_version_in_all_workflows():
    used = {line for w in WORKFLOWS for line in re.findall(r"uses: (.*)", w.read_text())}
    assert len({line.split("@")[0] for line in used}) == len(used)


def test_the_badges_are_of_workflows_that_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    badges = re.findall(r"\.\./\.\./actions/workflows/([\w.]+)/badge\.svg", readme)
    assert badges
    assert {f"{ROOT}/.github/workflows/{name}" for name in badges} <= set(map(str, WORKFLOWS))


def test_publishing_pushes_the_pages_and_nothing_else(tmp_path):
    def git(*arguments):
        command = ["git", "-C", tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.org"]
        done = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.split()

    pages = tmp_path / "_build" / "html"
    (pages / "_sources").mkdir(parents=True)
    for name in ("index.html", "_sources/chapter.ipynb", "old.html"):
        (pages / name).touch()
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".gitignore").write_text("_build/\n")
    for command in (["init"], ["add", "-A"], ["commit", "-m", "Book"]):
        git(*command)
    git("init", "--bare", "host.git")
    git("remote", "add", "origin", tmp_path / "host.git")
    subprocess.run(["make", "-C", tmp_path, "publish"], check=True, capture_output=True)
    (pages / "old.html").unlink()
    subprocess.run(["make", "-C", tmp_path, "publish"], check=True, capture_output=True)
    git("fetch", "origin")
    branch = f"origin/{PAGES_BRANCH}"
    files = {".nojekyll", "index.html", "_sources/chapter.ipynb"}
    assert set(git("ls-tree", "-r", "--name-only", branch)) == files
    assert len(git("rev-list", branch)) == 1  # it does not grow
    assert git("status", "--porcelain", "--untracked-files=no") == []
