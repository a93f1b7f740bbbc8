"""Builds the pages of this repository as a site, from where they are: `make docs` (docs/design/site.md)."""

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.search.en import SearchEnglish

REPOSITORY = Path(__file__).resolve().parents[2]

# The address that READMEs of packages, which are read elsewhere, have for files of this repository.
PUBLISHED = re.compile(r"https://github\.com/sealstone/sealstone/(?:blob|tree)/main/")

# Titles in the site of pages that would have the same.
TITLES = {
    "README.zh-CN": "Sealstone（中文）",
    "bindings/js/README": "sealstone (JavaScript)",
    "bindings/js/README.zh-CN": "sealstone（JavaScript，中文）",
    "bindings/python/README": "sealstone (Python)",
}


def text_of(page):
    return (REPOSITORY / page).read_text(encoding="utf-8")


def guides():
    """The groups of docs/guide/README.md: captions, and the pages that are linked outside of tables."""
    for section in text_of("docs/guide/README.md").split("\n## ")[1:]:
        caption, *lines = section.splitlines()
        links = re.findall(r"\]\(([^)#]+\.md)", "\n".join(line for line in lines if not line.startswith("|")))
        pages = [(REPOSITORY / "docs/guide" / link).resolve().relative_to(REPOSITORY).as_posix() for link in links]
        yield caption, [page for page in pages if not page.endswith(".zh-CN.md")]


def contents():
    """The groups of contents.txt: captions and pages."""
    for line in text_of("docs/site/contents.txt").splitlines():
        if line == "guides":
            yield from guides()
        elif not line.startswith("#"):
            caption, patterns = line.split(": ")
            found = [sorted(REPOSITORY.glob(pattern)) for pattern in patterns.split()]
            yield caption, [page.relative_to(REPOSITORY).as_posix() for pages in found for page in pages]


def groups():
    """The same, with each page in the first group that has it."""
    seen = set()
    for caption, pages in contents():
        new = [page for page in dict.fromkeys(pages) if page not in seen]
        seen.update(new)
        yield caption, new


project = "Sealstone"
extensions = ["myst_parser"]
root_doc = "docs/README"
include_patterns = [page for _, pages in groups() for page in pages]
exclude_patterns = ["target", "**/node_modules"]

# Pages are Markdown as GitHub has it, without MyST's own syntax.
myst_heading_anchors = 6
# Levels that a page leaves out, and code that is no whole program, read as well as on GitHub.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
smartquotes = False
myst_disable_syntax = ["myst_role", "myst_line_comment", "myst_block_break", "myst_target"]

html_theme = "furo"
html_title = "Sealstone"
html_extra_path = ["index.html"]
html_copy_source = False
html_use_index = False
html_search_language = "en-zh"
html_search_scorer = str(REPOSITORY / "docs/site/scorer.js")
# A page that was opened as a file may not read others, so a result has no excerpt.
html_show_search_summary = False


def prepare(app, docname, source):
    """Markdown before it is parsed. The first page gets the contents, which the theme shows beside each page."""
    text = PUBLISHED.sub("/", source[0])
    if docname in TITLES:
        text = re.sub(r"^# .*$", f"# {TITLES[docname]}", text, count=1, flags=re.MULTILINE)
    if docname == root_doc:
        for caption, pages in groups():
            entries = "\n".join(f"/{page}" for page in pages if page != f"{docname}.md")
            text += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}\n```\n"
    source[0] = text


def simplify(app, tree):
    """A link to a file or folder that is no page becomes text with the path. What follows a block's language is for tests of Rust."""
    for link in [*tree.findall(addnodes.download_reference), *tree.findall(addnodes.pending_xref)]:
        if link["refdomain"] == "doc":
            path, is_page = f"{link['reftarget']}.md", link["reftarget"] in app.env.found_docs
        else:
            target = REPOSITORY / Path(link["refdoc"]).parent / link["reftarget"]
            path, is_page = target.resolve(), False
            path = path.relative_to(REPOSITORY).as_posix() if path.is_relative_to(REPOSITORY) else ""
        if not is_page and path and (REPOSITORY / path).exists():
            place = [] if path in link.astext() else [nodes.Text(" ("), nodes.literal(path, path), nodes.Text(")")]
            link.replace_self([*link.children, *place])
    for block in tree.findall(nodes.literal_block):
        block["language"] = re.split("[, ]", block.get("language", "text"))[0]


def copy_pictures(app, tree):
    """Pictures in HTML keep their places: Sphinx copies those in Markdown only."""
    for html in tree.findall(nodes.raw):
        for picture in re.findall(r'\b(?:src|srcset)="([^":]+)"', html.astext()):
            path = (REPOSITORY / app.env.docname).parent.joinpath(picture).resolve().relative_to(REPOSITORY)
            (Path(app.outdir) / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPOSITORY / path, Path(app.outdir) / path)


def translate(app, docname, template, context, tree):
    if docname.endswith(".zh-CN"):
        context["language"] = "zh-CN"


class Search(SearchEnglish):
    """English words by their stems, and Chinese, which has no spaces, by characters and pairs of them. A query asks for all of its pairs."""

    lang = "en-zh"
    words = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+")
    js_splitter_code = r"""
var splitQuery = (query) =>
  (query.match(/[\u3400-\u9fff]+|(?:(?![\u3400-\u9fff])[\p{Letter}\p{Number}_])+/gu) ?? []).flatMap((word) =>
    /^[\u3400-\u9fff]{2}/.test(word) ? Array.from(word.slice(1), (_, i) => word.slice(i, i + 2)) : word
  );
"""

    def split(self, text):
        found = []
        for word in self.words.findall(text):
            is_chinese = "\u3400" <= word[0] <= "\u9fff"
            found += [*word, *map("".join, zip(word, word[1:]))] if is_chinese else [word]
        return found


def setup(app):
    app.connect("source-read", prepare)
    # Before Sphinx collects what is linked, to copy it.
    app.connect("doctree-read", simplify, priority=100)
    app.connect("doctree-read", copy_pictures)
    app.connect("html-page-context", translate)
    app.add_search_language(Search)
