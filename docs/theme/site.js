// Theme, menu and search. Pages are opened from disk, where a worker or fetch() is refused; scripts are not.
const root = document.documentElement;
const byId = (id) => document.getElementById(id);

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function labelTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
}

byId("theme").addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try { localStorage.setItem("traindx-theme", root.dataset.theme); } catch { /* no storage: not remembered */ }
  labelTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", labelTheme);
labelTheme();

byId("menu").addEventListener("click", () => {
  byId("menu").setAttribute("aria-expanded", byId("nav").classList.toggle("open"));
});
const current = document.querySelector("#nav [aria-current]");
if (current) byId("nav").scrollTop = current.offsetTop - byId("nav").clientHeight / 2;

// On a narrow screen a cell is a line of its own and needs the name of its column.
for (const table of document.querySelectorAll("table")) {
  const names = [...table.querySelectorAll("th")].map((heading) => heading.textContent);
  for (const row of table.tBodies[0]?.rows ?? []) {
    [...row.cells].forEach((cell, index) => { cell.dataset.column = names[index] ?? ""; });
  }
}

const MOST_RESULTS = 30;
const SNIPPET = 180;
const [IN_TITLE, IN_HEADING, IN_TEXT, WHOLE_WORD, OF_A_CAUSE] = [16, 6, 1, 2, 3];

const box = byId("search");

/** Load the index once: window.traindxIndex is a list of [url, title, heading, text]. */
let loading;
function index() {
  loading ??= new Promise((loaded, failed) => {
    const script = document.createElement("script");
    script.src = `${root.dataset.base}/search_index.js`;
    script.onload = () => loaded(window.traindxIndex);
    script.onerror = failed;
    document.head.append(script);
  });
  return loading;
}

function patterns(query) {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words.map((word) => ({
    start: new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "iu"),
    whole: new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "iu"),
  }));
}

/** How well a section fits: every word has to begin a word somewhere in it; 0 if one does not. */
function score([url, title, heading, text], words) {
  let total = url.startsWith("causes/") && heading === "What you see" ? OF_A_CAUSE : 0;
  for (const word of words) {
    let best = 0;
    for (const [place, weight] of [[title, IN_TITLE], [heading, IN_HEADING], [text, IN_TEXT]]) {
      if (word.start.test(place)) best += weight * (word.whole.test(place) ? WHOLE_WORD : 1);
    }
    if (!best) return 0;
    total += best;
  }
  return total;
}

function snippet(text, words) {
  const found = text.search(words[0].start);
  const from = found > SNIPPET / 3 ? text.indexOf(" ", found - SNIPPET / 3) + 1 : 0;
  const to = from + SNIPPET < text.length ? text.lastIndexOf(" ", from + SNIPPET) : text.length;
  return (from ? "... " : "") + text.slice(from, to) + (to < text.length ? " ..." : "");
}

function marked(text, words) {
  const any = new RegExp(words.map((word) => word.start.source).join("|"), "giu");
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(any)) {
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    parts.push(text.slice(last, match.index), mark);
    last = match.index + match[0].length;
  }
  return [...parts, text.slice(last)];
}

function item([url, title, heading, text], words) {
  const link = document.createElement("a");
  link.href = `${root.dataset.base}/${url}`;
  link.append(...marked(heading && heading !== title ? `${title}: ${heading}` : title, words));
  const quote = document.createElement("p");
  quote.append(...marked(snippet(text, words), words));
  const entry = document.createElement("li");
  entry.append(link, quote);
  return entry;
}

async function search() {
  const query = box.value.trim();
  const words = patterns(query);
  byId("results").hidden = !words.length;
  for (const name of ["page", "toc"]) if (byId(name)) byId(name).hidden = words.length > 0;
  if (!words.length) return;
  const sections = await index();
  if (box.value.trim() !== query) return;
  const scored = sections.map((section) => [score(section, words), section]).filter(([points]) => points);
  scored.sort(([one], [other]) => other - one);
  // The best section of each page.
  const pages = new Map();
  for (const [, section] of scored) {
    const page = section[0].split("#")[0];
    if (!pages.has(page)) pages.set(page, section);
  }
  const heading = document.createElement("h1");
  heading.textContent = `${pages.size} ${pages.size === 1 ? "page" : "pages"} for "${query}"`;
  const list = document.createElement("ol");
  list.append(...[...pages.values()].slice(0, MOST_RESULTS).map((section) => item(section, words)));
  byId("results").replaceChildren(heading, list);
}

box.addEventListener("focus", index);
box.addEventListener("input", search);
box.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  }
  if (event.key === "Escape" && document.activeElement === box) {
    box.value = "";
    search();
  }
});
// A link may carry a search: index.html?q=nan
box.value = new URLSearchParams(location.search).get("q") ?? "";
search();
