"""A page in a real browser: opened, drawn, and what it looks like then.

The browser dumps a document when it has loaded. An outer page keeps itself from loading, by an image that a
server here withholds, until the inner page has drawn its charts; so no speed of the machine matters.
"""

import html
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

_OUTER = """<!doctype html><title></title>
<iframe id="f" src="/page" style="width:{width}px;height:3000px;border:0"></iframe><img src="/hold">
<pre id="inner"></pre>
<script>
const finish = () => {{
  const root = f.contentDocument.documentElement;
  document.title = `${{f.contentWindow.innerWidth}} ${{root.scrollWidth}}`;
  inner.textContent = root.outerHTML;
  fetch("/done");
}};
const look = () => {{
  const figures = [...f.contentDocument.querySelectorAll("figure")];
  if (figures.filter(figure => figure.querySelector(".main-svg")).length >= {charts}) finish();
  else setTimeout(look, 50);
}};
f.onload = look;
</script>"""


@dataclass(frozen=True)
class Opened:
    """What a browser made of a page."""

    dom: str
    complaints: str
    """What it wrote to its console."""
    width: int
    """The width of the window the page had."""
    scroll_width: int
    """The width the page needs."""


@contextmanager
def waiting(page: str, outer: str) -> Iterator[str]:
    """The address of an outer page that does not finish loading before it has asked for /done."""
    done = threading.Event()

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/hold":
                done.wait(90)
            if self.path == "/done":
                done.set()
            text = {"/": outer, "/page": page}.get(self.path, "")
            self.send_response(200 if text else 204)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Say nothing: the test's output is for the test."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        done.set()
        server.shutdown()
        server.server_close()


def opened(page: str, folder: Path, *, width: int = 1280, charts: int = 1) -> Opened:
    """Open a page, wait until so many charts are drawn, and look."""
    window = f"--window-size={max(width + 100, 800)},2400"
    with waiting(page, _OUTER.format(width=width, charts=charts)) as address:
        outer, complaints = dumped(address, folder, window)
    return _read(outer, complaints)


def dumped(address: str, folder: Path, *options: str) -> tuple[str, str]:
    """The document at an address when it has loaded, and what the browser wrote to its console."""
    assert BROWSER
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    command += [f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", *options, "--dump-dom"]
    ended = subprocess.run([*command, address], capture_output=True, text=True, timeout=150, check=True)
    return ended.stdout, "\n".join(line for line in ended.stderr.splitlines() if "CONSOLE" in line)


def _read(outer: str, complaints: str) -> Opened:
    title = outer.partition("<title>")[2].partition("</title>")[0].split()
    inner = html.unescape(outer.partition('<pre id="inner">')[2].rpartition("</pre>")[0])
    return Opened(inner, complaints, int(title[0]), int(title[1]))
