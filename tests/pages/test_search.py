"""The search of the built book finds a function by its name, however it is written."""

from urllib.parse import quote

import pytest

from tests.support.book import PAGES
from tests.support.function_index import INDEX
from tests.support.notebook_guard import ROOT

SEARCH = ROOT / "_build" / "html" / "search.html"

ANY = ""  # many chapters speak of it
# What a reader types, the entry that must come first or second, and a chapter among the first.
QUERIES = {
    "masked_fill": ("torch.Tensor.masked_fill", "04_masks"),
    "torch.triu": ("torch.triu", "04_masks"),
    "scaled_dot_product_attention": ("follow_the_tensor.scaled_dot_product_attention", ANY),
    "F.scaled_dot_product_attention": (
        "torch.nn.functional.scaled_dot_product_attention",
        ANY,
    ),
    "contiguous": ("torch.Tensor.contiguous", "05_heads_and_memory"),
    "register_buffer": ("torch.nn.Module.register_buffer", "02_positional_encoding"),
    "key_value_cache": ("follow_the_tensor.cache.key_value_cache", "14_generation"),
    "EncoderLayer": ("follow_the_tensor.EncoderLayer", ANY),
    "nn.LayerNorm": ("torch.nn.LayerNorm", "07_encoder"),
    "F.softmax": ("torch.softmax", "03_attention"),
    "F.softmax(": ("torch.softmax", "03_attention"),
    "torch.softmax": ("torch.softmax", "03_attention"),
    "split_heads": ("follow_the_tensor.MultiHeadAttention.split_heads", "03_attention"),
    "Tensor.view": ("torch.Tensor.view", "03_attention"),
    "unsqueeze": ("torch.Tensor.unsqueeze", "01_syntax"),
    "nn.Linear": ("torch.nn.Linear", "03_attention"),
    "cross_entropy": ("torch.nn.functional.cross_entropy", "09_full_example"),
    "torch.no_grad()": ("torch.no_grad", "09_full_example"),
    "load_state_dict": ("torch.nn.Module.load_state_dict", "12_whole_model"),
    "optimizer.step()": ("torch.optim.Optimizer.step", "13_training"),
    "attention_maps": ("follow_the_tensor.attention_maps", "14_generation"),
}


@pytest.fixture(scope="module")
def page(browser):
    context = browser.new_context(offline=True)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("query", QUERIES)
def test_a_name_finds_its_entry_and_a_chapter(page, query):
    entry, chapter = QUERIES[query]
    chapter = chapter if f"notebooks/{chapter}" in PAGES else ANY  # a book may leave it out
    page.goto(f"{SEARCH.as_uri()}?q={quote(query)}")
    page.wait_for_selector("#search-results li a")
    page.wait_for_function("Search.status.innerText.match(/\\d/)")  # all results are there
    links = page.locator("#search-results li > a").evaluate_all("all => all.map(a => a.href)")
    assert any(link.endswith(f"book/functions.html#{entry}") for link in links[:2]), links[:2]
    assert any(f"/notebooks/{chapter}" in link for link in links[:8]), links[:8]


def test_every_entry_is_found_by_its_full_name(page):
    page.goto(SEARCH.as_uri())
    page.wait_for_function("Search.hasIndex()")
    first_three = """names => Object.fromEntries(names.map(name => {
        const found = Search._performSearch(...Search._parseQuery(name));
        return [name, found.slice(-3).map(result => result[2])];  // the best comes last
    }))"""
    found = page.evaluate(first_three, sorted(INDEX))
    assert [name for name, anchors in found.items() if f"#{name}" not in anchors] == []
