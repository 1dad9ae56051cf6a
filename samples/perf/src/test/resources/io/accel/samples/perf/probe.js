// Writes down what the page looks like once it has been laid out.
const box = element => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return { left, right, top, bottom, text: element.textContent };
};
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Relative luminance and contrast as the web's accessibility guidelines define them.
const luminance = colour => {
  const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map(Number)
    .map(value => value / 255)
    .map(value => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = element => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!/, 0\)$/.test(colour)) return colour;
  }
  return "rgb(255, 255, 255)";
};
const contrast = (colour, element) => {
  const [light, dark] = [luminance(colour), luminance(ground(element))].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};

const facts = {
  background: getComputedStyle(document.body).backgroundColor,
  width: document.documentElement.clientWidth,
  scrollWidth: document.documentElement.scrollWidth,
  loaded: performance.getEntriesByType("resource").map(entry => entry.name),
  charts: all("#latency figure").map(figure => ({
    benchCase: figure.dataset.case,
    frame: box(figure),
    drawing: box(figure.querySelector("svg")),
    labels: all("figcaption *, .legend li, svg text", figure).map(box),
    curves: all("path", figure).map(path => ({
      path: path.dataset.path,
      points: path.dataset.points.split(" ").map(point => point.split(":").map(Number)),
      length: path.getTotalLength(),
      places: path.getAttribute("d").slice(1).split("L").map(place => place.split(" ").map(Number)),
      frame: box(path),
      contrast: contrast(getComputedStyle(path).stroke, figure),
    })),
    dots: all("circle", figure).map(box),
  })),
  mainWidth: document.querySelector("section .grid").getBoundingClientRect().width,
  bars: all("#throughput figure").map(figure => ({
    benchCase: figure.dataset.case,
    frame: box(figure),
    labels: all("figcaption *, .name, .value, .verdict", figure).map(box),
    bars: all(".bars li", figure).map(item => ({
      path: item.dataset.path,
      value: Number(item.dataset.value),
      ratio: item.querySelector(".value b")?.textContent ?? "",
      words: item.querySelector(".verdict")?.textContent ?? "",
      bar: box(item.querySelector(".bar")),
      track: box(item.querySelector(".track")),
      contrast: contrast(getComputedStyle(item.querySelector(".bar")).backgroundColor, figure),
    })),
  })),
  table: all("table tr").map(row => all("th, td", row).map(cell => cell.textContent)),
  words: all("h1, h2, h3, p, dt, dd, li span, td, th, svg text").filter(element => element.textContent.trim()).map(element => ({
    text: element.textContent,
    contrast: contrast(element.closest("svg") ? getComputedStyle(element).fill : getComputedStyle(element).color, element),
  })),
};

// What a reader sees who points at the middle of the first chart.
const first = document.querySelector("svg");
if (first) {
  const { left, width, top, height } = first.getBoundingClientRect();
  first.dispatchEvent(new PointerEvent("pointermove", { clientX: left + width / 2, clientY: top + height / 2 }));
  facts.tip = document.getElementById("tip").textContent;
  first.dispatchEvent(new PointerEvent("pointerleave"));
}
facts.tipHidden = document.getElementById("tip").hidden;

const out = document.createElement("script");
out.type = "application/json";
out.id = "facts";
out.textContent = JSON.stringify(facts).replaceAll("<", "\\u003c");
document.body.append(out);
