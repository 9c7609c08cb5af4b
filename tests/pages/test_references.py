"""The works the book rests on: each has a DOI, a reason to be there, and an anchor to link to."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from pybtex.database import parse_file

from tests.support.notebook_guard import ROOT

TEXT = (ROOT / "book" / "references.md").read_text(encoding="utf-8")
HTML = ROOT / "_build" / "html" / "book" / "references.html"
WORKS = parse_file(str(ROOT / "book" / "references.bib")).entries
WITHOUT_DOI = {
    "article2026": "an article on the web",
    "cldr": "a data collection with a home page",
    "radford2019": "a report on the web site of its authors",
    "srivastava2014": "the journal gives none",
}
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_every_work_has_a_doi_or_a_reason_for_none():
    assert {key for key, work in WORKS.items() if "doi" not in work.fields} == set(WITHOUT_DOI)


@pytest.mark.parametrize("key", sorted(set(WORKS) - set(WITHOUT_DOI)))
def test_dois_are_well_formed(key):
    fields = WORKS[key].fields
    assert re.fullmatch(r"10\.\d{4,9}/[-._;()/:\w]+", fields["doi"])
    if preprint := re.fullmatch(r"arXiv:((\d\d)\d\d\.\d{4,5})", fields.get("howpublished", "")):
        assert fields["doi"] == f"10.48550/arXiv.{preprint[1]}"
        assert fields["year"] == f"20{preprint[2]}"


def test_every_work_is_there_for_a_chapter():
    cited = re.findall(r"\{cite:[pt]\}`(\w+)`", TEXT)
    assert sorted(cited) == sorted(WORKS)
    for section in TEXT.split("\n## ")[1:]:
        intro, *items = section.split("\n- ")
        assert all("../notebooks/" in item or "../notebooks/" in intro for item in items)


def test_every_work_has_an_anchor_and_its_link():
    page = HTML.read_text(encoding="utf-8")
    for key, work in WORKS.items():
        assert f'id="{key}"' in page
        if key != "article2026":  # has no address of its own
            assert work.fields["url" if key in WITHOUT_DOI else "doi"] in page


def test_the_citation_file_is_valid():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    command += ["vendor.citation-file-format", str(ROOT / "CITATION.cff")]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_the_citation_file_agrees_with_the_package_and_the_references():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert CITATION["version"] == project["version"]
    assert CITATION["license"] == project["license"]
    assert CITATION["authors"] == project["authors"]
    assert CITATION["abstract"].startswith(project["description"])
    article, paper, *_ = CITATION["references"]  # an adapted book cites the original, too
    assert article["title"] == re.sub("[{}]", "", WORKS["article2026"].fields["title"])
    assert paper["doi"] == WORKS["vaswani2017"].fields["doi"]
