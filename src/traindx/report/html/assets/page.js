"use strict";
// The page is complete without this script. It adds drawings that can be zoomed, and the choice of light or dark.

const root = document.documentElement;
const probe = document.createElement("i");

// The value of one of the page's colours as it is now; plotly knows nothing of CSS properties.
function colour(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

async function inflated(element) {
  const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const documents = new WeakMap();

// The drawing of a figure, in the colours of now.
async function read(figure) {
  if (!documents.has(figure)) documents.set(figure, await inflated(figure.querySelector("script")));
  return JSON.parse(documents.get(figure), (key, value) =>
    typeof value === "string" && value.startsWith("--") && key.endsWith("color") ? colour(value) : value);
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
  const plot = figure.querySelector(".plot");
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
  figure.querySelector(".tools").hidden = false;
  for (const button of figure.querySelectorAll(".legend button")) button.disabled = false;
  performance.mark("traindx-drawn");
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

async function recolour() {
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

probe.hidden = true;
document.body.append(probe);
document.getElementById("theme").hidden = false;
document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  recolour();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);

// Paper is white, whatever the screen is.
let before;
addEventListener("beforeprint", () => {
  before = root.dataset.theme;
  root.dataset.theme = "light";
  recolour();
});
addEventListener("afterprint", () => {
  if (before) root.dataset.theme = before;
  else delete root.dataset.theme;
  recolour();
});

document.getElementById("theme").textContent = dark() ? "Light" : "Dark";
for (const figure of document.querySelectorAll("figure.chart")) {
  near.observe(figure);
  figure.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && figure.querySelector(".js-plotly-plot")) act(figure, button);
  });
}
