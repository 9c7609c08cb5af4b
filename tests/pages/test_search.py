"""The search of the built book: what comes first, what a result shows, and where it opens."""

from urllib.parse import quote, urlsplit

import pytest

from tests.support.function_index import ENTRIES as FUNCTIONS
from tests.support.function_index import INDEX, LINK
from tests.support.notebook_guard import ROOT

BOOK = ROOT / "_build" / "html"
FUNCTION = "book/functions#"
MASK_TOOLS = "notebooks/04_masks#mask-tools-not-and-masked-fill"

# What a reader types, and the section that must come first.
FIRST = {
    "ignore_index": "notebooks/09_full_example#reshape-and-cross-entropy",
    "masked_fill": MASK_TOOLS,
    "masked_fill_": MASK_TOOLS,
    "torch.triu": "notebooks/masks_in_depth#other-conventions",
    "F.softmax(": "notebooks/03_attention#softmax-has-a-direction",
    "torch.softmax": "notebooks/03_attention#softmax-has-a-direction",
    "nn.LayerNorm": "notebooks/07_encoder#layernorm",
    "layer normalization": "notebooks/07_encoder#layernorm",
    "EncoderLayer": "notebooks/07_encoder#the-source-of-the-encoder-layer",
    "contiguous": "notebooks/05_heads_and_memory#why-contiguous-comes-after-transpose",
    "register_buffer": "notebooks/02_positional_encoding#register-buffer-kept-moved-not-trained",
    "key_value_cache": "notebooks/14_generation#the-key-value-cache",
    "KV cache": "notebooks/14_generation#the-key-value-cache",
    "split_heads": "notebooks/03_attention#splitting-the-features-into-heads",
    "cross_entropy": "notebooks/09_full_example#reshape-and-cross-entropy",
    "causal mask": "notebooks/04_masks#the-causal-mask",
    "padding": "notebooks/04_masks#the-padding-mask",
    "positional encoding": "notebooks/02_positional_encoding#",
    "multi head attention": "notebooks/03_attention#",
    "broadcasting": "notebooks/01_syntax#broadcasting-lines-up-axes-from-the-right",
    "residual connection": "notebooks/07_encoder#the-residual-connection",
    "dropout": "notebooks/06_feed_forward#dropout",
    "beam search": "notebooks/14_generation#beam-search",
    "warmup": "notebooks/13_training#warm-up-then-slow-down",
    "why divide by sqrt d_k": "notebooks/03_attention#why-the-scores-are-divided-by-d-k",
    "generat": "notebooks/14_generation#the-source-of-generate",  # still being typed
    # Words that readers use and the book does not.
    "inference": "notebooks/14_generation#a-loop-that-reads-a-date",
    "translation": "notebooks/14_generation#reading-many-languages",
    "temperature": "notebooks/16_language_model#from-scores-to-a-choice",
    "context window": "notebooks/16_language_model#a-window-of-25-positions",
    "tokenizer": "notebooks/11_tokens_and_data#the-source-of-the-vocabulary",
    "Tokenisation": "notebooks/11_tokens_and_data#the-source-of-the-vocabulary",
    "LLM": "notebooks/16_language_model#take-the-source-away",
    "GPT": "notebooks/16_language_model#take-the-source-away",
    "BERT": "notebooks/07_encoder#the-source-of-the-encoder-layer",
    "fine-tuning": "notebooks/13_training#the-model-that-reads-dates",
    "chatbot": "notebooks/14_generation#reading-many-languages",
    "flash attention": "notebooks/15_fast_attention#softmax-while-reading",
    "learning rate": "notebooks/13_training#warm-up-then-slow-down",
    "attention": "notebooks/03_attention#attention-by-hand",
    "what is a transformer": "notebooks/00_idea#what-goes-in-and-what-comes-out",
    "install": "book/running#in-a-clone-with-make",
}


@pytest.fixture(scope="module")
def page(browser):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((BOOK / "search.html").as_uri())
    yield page
    context.close()


def places(page, query):
    """The sections that a query finds, best first, as page#anchor."""
    found = "query => bookSearch.search(query).found.map((one) => `${one.page[0]}#${one.anchor}`)"
    return page.evaluate(found, query)


@pytest.mark.parametrize("query", FIRST)
def test_the_section_that_answers_comes_first(page, query):
    assert places(page, query)[:1] == [FIRST[query]], "see book/search_words.toml"


def test_every_function_is_found_by_its_full_name(page):
    missing = [name for name in INDEX if FUNCTION + name not in places(page, name)[:5]]
    assert missing == []


def test_a_function_leads_to_the_chapter_that_explains_it(page):
    missing = []
    for entry in FUNCTIONS:
        _, section, chapter = LINK.search(entry.text).groups()
        found = places(page, entry.name)[:8]
        if section and not any(place.startswith(f"notebooks/{chapter}#") for place in found):
            missing.append(entry.name)
    assert missing == []


def test_words_that_stand_nowhere_find_nothing(page):
    assert places(page, "qqqq zzzz") == []
    ask(page, "qqqq zzzz")
    assert "No section" in page.get_by_role("status").inner_text()


def ask(page, query):
    page.locator("article").get_by_role("searchbox").fill(query)
    page.keyboard.press("Enter")


def test_a_result_names_page_and_section_and_shows_the_words_around(page):
    ask(page, "ignore_index")
    first = page.locator("#search-results li").first
    assert first.locator(".page").inner_text() == "9 · The full example"
    assert first.locator(".section").inner_text() == "Reshape and cross-entropy"
    assert first.locator(".words mark").first.inner_text() == "ignore_index"
    count = page.locator("#search-results li").count()
    assert page.get_by_role("status").inner_text() == f"{count} sections"


def test_another_word_for_it_is_shown(page):
    ask(page, "inference")
    assert page.locator("#search-results li").first.locator(".other").inner_text() == "inference"


# A result opens at what was searched for: from a file and from a server, by keyboard alone.


@pytest.fixture(scope="module", params=[BOOK.as_uri(), "http://book.example"])
def search(request, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    context.route("http://book.example/**", serve)
    yield lambda query: opened(context.new_page(), f"{request.param}/search.html?q={quote(query)}")
    context.close()


def serve(route):
    route.fulfill(path=BOOK / urlsplit(route.request.url).path.removeprefix("/"))


def opened(page, address):
    """The first result, chosen with the keyboard."""
    page.goto(address)
    page.wait_for_selector("#search-results a")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('#search-results li:first-child a')")
    outline = "getComputedStyle(document.activeElement.closest('li')).outlineStyle"
    assert page.evaluate(outline) == "solid"
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("Enter")
    return page


def test_a_hit_far_below_its_heading_is_marked_and_in_view(search):
    page = search("ignore_index")
    assert page.url.endswith("#reshape-and-cross-entropy")
    inside = page.locator("#reshape-and-cross-entropy mark")
    assert page.locator("mark").count() == inside.count() > 1
    seen = """all => all.filter(mark => {
        const { top, bottom } = mark.getBoundingClientRect();
        return top > 0 && bottom < innerHeight;
    }).map(mark => mark.textContent)"""
    page.wait_for_function(f"({seen})([...document.querySelectorAll('mark')]).length > 0")
    assert "ignore_index" in inside.evaluate_all(seen)


def test_a_hit_in_the_first_lines_keeps_the_heading_in_view(search):
    page = search("causal mask")
    page.wait_for_function("""() => {
        const { top } = document.getElementById("the-causal-mask").getBoundingClientRect();
        return Math.abs(top) < 150;
    }""")


def test_a_hit_in_a_folded_answer_opens_it(search):
    page = search("columns hold equal scores, so all weights are one half")
    page.wait_for_selector("details[open] mark")
    assert page.locator("details:not([open]) mark").count() == 0
