"use strict";
// The page is complete without this script. It adds charts that can be zoomed, buttons that copy, and the choice
// of light or dark.

const root = document.documentElement;
const probe = document.createElement("i");

// The value of one of the page's colors as it is now; plotly knows nothing of CSS properties.
function color(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

async function inflated(element) {
  const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const documents = new WeakMap();

// The drawing of a figure, in the colors of now.
async function read(figure) {
  if (!documents.has(figure)) documents.set(figure, await inflated(figure.querySelector("script")));
  return JSON.parse(documents.get(figure), (key, value) =>
    typeof value === "string" && value.startsWith("--") && key.endsWith("color") ? color(value) : value);
}

let carried = null;

// Inflates plotly once, and lets it run as the script whose hash the page's policy knows.
function plotly() {
  carried ??= (async () => {
    const script = document.createElement("script");
    script.textContent = await inflated(document.getElementById("plotly"));
    document.head.append(script);
    return window.Plotly;
  })();
  return carried;
}

async function draw(figure) {
  if (figure.dataset.drawn) return;
  figure.dataset.drawn = "now";
  const Plotly = await plotly();
  const plot = figure.querySelector("[role=img]");
  const { data, layout } = await read(figure);
  // A finger on the drawing scrolls the page; only a mouse draws a box to zoom into.
  layout.dragmode = matchMedia("(pointer: coarse)").matches ? false : "zoom";
  const still = plot.firstElementChild;
  const canvas = document.createElement("div");
  plot.append(canvas);
  still.hidden = true;
  await Plotly.newPlot(canvas, data, layout, {
    responsive: true,
    displayModeBar: false,
  });
  canvas.on("plotly_relayout", () => follow(figure, canvas));
  figure.querySelector(".tools").hidden = false;
  for (const button of figure.querySelectorAll(".legend button")) button.disabled = false;
  performance.mark("traindx-drawn");
}

// Moves the marks to where a zoom has put their steps, and zooms the other charts of the run alike.
function follow(figure, canvas) {
  const [first, last] = canvas.layout.xaxis.range;
  for (const mark of figure.querySelectorAll("[data-span]")) {
    const ends = mark.dataset.span.split(" ").map((step) => (Number(step) - first) / (last - first));
    mark.style.setProperty("--a", ends[0]);
    mark.style.setProperty("--b", ends[1]);
  }
  for (const other of figure.closest(".charts").querySelectorAll(".js-plotly-plot")) {
    const [from, to] = other.layout.xaxis.range;
    if (other !== canvas && (from !== first || to !== last)) {
      window.Plotly.relayout(other, { "xaxis.range": [first, last] });
    }
  }
}

async function act(figure, button) {
  const Plotly = await plotly();
  const canvas = figure.querySelector(".js-plotly-plot");
  const pressed = button.getAttribute("aria-pressed") !== "true";
  if (button.dataset.do === "whole") {
    const { layout } = await read(figure);
    const update = { "xaxis.range": layout.xaxis.range };
    for (const key of Object.keys(layout)) {
      if (key.startsWith("yaxis") && !layout[key].fixedrange) update[`${key}.autorange`] = true;
    }
    return Plotly.relayout(canvas, update);
  }
  button.setAttribute("aria-pressed", String(pressed));
  if (button.dataset.do === "log") {
    return Plotly.relayout(canvas, { "yaxis.type": pressed ? "log" : "linear", "yaxis.autorange": true });
  }
  const lines = canvas.data.flatMap((trace, place) => (trace.meta === button.dataset.line ? [place] : []));
  return Plotly.restyle(canvas, { visible: pressed }, lines);
}

// A drawing is made when it comes near the window: one in a closed part of the page costs nothing.
const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    draw(target).catch((error) => {
      target.querySelector(".still").hidden = false;
      console.error(error);
    });
  }
}, { rootMargin: "400px" });

function dark() {
  const chosen = root.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

async function recolor() {
  document.getElementById("theme").textContent = dark() ? "Light" : "Dark";
  for (const canvas of document.querySelectorAll(".js-plotly-plot")) {
    const { data, layout } = await read(canvas.closest("figure"));
    data.forEach((trace, place) => { trace.visible = canvas.data[place].visible; });
    for (const key of Object.keys(layout)) {
      if (!/^[xy]axis/.test(key)) continue;
      const { range, type } = canvas.layout[key];
      Object.assign(layout[key], { range, type });
    }
    layout.dragmode = canvas.layout.dragmode;
    window.Plotly.react(canvas, data, layout);
  }
}

// What a copy button is for: the new lines of a diff, else all of the code next to it.
function wanted(button) {
  const code = button.closest("[data-copy]").querySelector("code").cloneNode(true);
  const added = [...code.querySelectorAll("ins")];
  for (const sign of code.querySelectorAll("ins i")) sign.remove();
  return added.length ? added.map((line) => line.textContent).join("\n") : code.textContent;
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const says = button.textContent;
  button.textContent = "Copied";
  button.classList.add("done");
  setTimeout(() => { button.textContent = says; button.classList.remove("done"); }, 1500);
}

// Unfolds what a link leads to.
function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) if (at.matches("details")) at.open = true;
  if (target) target.scrollIntoView();
}

for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button, wanted(button)));
}
const whole = document.getElementById("markdown");
whole.hidden = false;
whole.addEventListener("click", async () => copy(whole, await inflated(document.getElementById("summary"))));
addEventListener("hashchange", unfold);
unfold();

probe.hidden = true;
document.body.append(probe);
document.getElementById("theme").hidden = false;
document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  recolor();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);

// Paper is white, whatever the screen is.
let before;
addEventListener("beforeprint", () => {
  before = root.dataset.theme;
  root.dataset.theme = "light";
  recolor();
});
addEventListener("afterprint", () => {
  if (before) root.dataset.theme = before;
  else delete root.dataset.theme;
  recolor();
});

document.getElementById("theme").textContent = dark() ? "Light" : "Dark";
for (const figure of document.querySelectorAll("figure.chart:has(> script)")) {
  near.observe(figure);
  figure.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && figure.querySelector(".js-plotly-plot")) act(figure, button);
  });
}
