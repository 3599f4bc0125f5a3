"""The page in a browser: what its script does for someone who zooms, copies and follows links."""

import json
import subprocess
from pathlib import Path

from tests.browser import BROWSER, needs_browser, waiting
from tests.report.formats import canonical
from traindx.report.pages import as_html
from traindx.trials.types import Report

_OUTER = """<!doctype html><title></title>
<iframe id="f" src="/page" style="width:1280px;height:3000px;border:0"></iframe><img src="/hold">
<pre id="told"></pre>
<script>
const ask = (text) => f.contentDocument.querySelector(text);
const until = async (true_) => { while (!true_()) await new Promise((go) => setTimeout(go, 50)); };
f.onload = async () => {
  const plots = () => [...f.contentDocument.querySelectorAll(".js-plotly-plot .main-svg")];
  await until(() => plots().length);
  const found = { top: {} };
  for (const name of [".badge", ".sure", ".entry.strong", ".picture .plot", ".command", "nav"]) {
    found.top[name] = ask(name).getBoundingClientRect().bottom;
  }
  ask("details.more").open = true;
  await until(() => f.contentDocument.querySelectorAll(".js-plotly-plot .main-svg").length >= 4);
  const [first, second] = f.contentDocument.querySelectorAll(".js-plotly-plot");
  found.before = Number(ask(".band").style.getPropertyValue("--a"));
  await f.contentWindow.Plotly.relayout(first, { "xaxis.range": [0, 28] });
  await until(() => second.layout.xaxis.range[1] === 28);
  found.after = Number(ask(".band").style.getPropertyValue("--a"));
  ask(".command .copy").click();
  await until(() => ask(".command .copy").textContent === "Copied");
  f.contentWindow.location.hash = "#cause-missing-warmup";
  await until(() => ask("#cause-missing-warmup").closest("details").open);
  found.appendix = ask(".appendix").open;
  told.textContent = JSON.stringify(found);
  fetch("/done");
};
</script>"""


@needs_browser
def test_a_reader_sees_the_answer_at_once_and_zooms_copies_and_looks_up(tmp_path: Path) -> None:
    assert BROWSER
    report = Report(canonical.demo_runs()[:1], diagnoses=(canonical.sick(),))
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'p'}"]
    command += ["--enable-logging=stderr", "--window-size=1400,3100", "--dump-dom"]
    with waiting(as_html(report), _OUTER) as address:
        ended = subprocess.run([*command, address], capture_output=True, text=True, timeout=150, check=True)
    assert "CONSOLE" not in ended.stderr
    document = json.loads(ended.stdout.partition('<pre id="told">')[2].partition("</pre>")[0])
    assert max(document["top"].values()) <= 600
    assert 0 < document["before"] < 0.1
    assert document["after"] == 0.5
    assert document["appendix"]
