"""What mkdocs needs to know of our pages: links that leave the folder of the pages are names on the site."""

import re

_LEAVES = re.compile(r"\[([^\]]+)\]\((?:\.\./)+([^)]+)\)")


def on_page_markdown(markdown: str, page: object, **_: object) -> str:
    """A page whose links all lead somewhere: what lies in the repository beside the pages is named."""
    inside = str(getattr(page, "file", "")).count("/") > 0

    def named(link: re.Match[str]) -> str:
        # A page in a folder of its own may lead to the pages above it.
        if inside and link[0].count("../") == 1 and link[2].endswith(".md"):
            return link[0]
        return f"{link[1]} (`{link[2].partition('#')[0]}` in the repository)"

    return _LEAVES.sub(named, markdown)
