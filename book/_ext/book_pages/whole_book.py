"""The link to the whole book as one PDF, in each chapter, once `make pdf` has made it."""

from lxml import etree

PDF = "follow-the-tensor.pdf"  # in the book's folder


def link(page):
    if not (page.book / PDF).exists():
        return
    for line in page.tree.find_class("launch"):
        if line.find("a[@class='whole-book']") is None:
            line[-1].tail = " "
            etree.SubElement(line, "a", {"class": "whole-book", "href": page.root + PDF})
            line[-1].text = "The whole book as a PDF"
