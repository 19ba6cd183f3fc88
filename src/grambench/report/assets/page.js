// What the other scripts share, light or dark, links into closed blocks, one page at a time of the one file, and commands
// to copy.
// Without any script the pages are whole.
"use strict";
const grambench = (() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const filled = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  };
  const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const place = (element, left, top) => {
    element.hidden = false;
    const box = element.getBoundingClientRect();
    element.style.left = Math.max(8, Math.min(left, document.documentElement.clientWidth - box.width - 8)) + "px";
    element.style.top = (top + box.height + 8 > innerHeight ? Math.max(8, top - box.height - 28) : top) + "px";
  };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const number = (x) => (x === null || x === undefined ? "" : Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(+x.toPrecision(4)));
  // a label as it stands within a sentence: "AUC (%)" and "C" stay
  const within = (label) => (/^[A-Z]([A-Z0-9 ]|$)/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1));
  const steps = (low, high, log, most) => { // positions of ticks
    if (log) {
      const decades = Math.log10(high / low), of = decades > most - 1 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5];
      const ticks = [];
      const stride = Math.max(1, Math.ceil(decades / most));
      for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += stride) ticks.push(...of.map((step) => +(step * 10 ** power).toPrecision(2)));
      return ticks.filter((at) => at >= low && at <= high);
    }
    const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((each) => each * power >= raw);
    return Array.from({ length: Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1 }, (_, at) => +((Math.ceil(low / step - 1e-9) + at) * step).toPrecision(10));
  };
  // calls `draw` once for each element, as soon as it is on the screen or near it
  const near = 600; // pixels below the screen
  const whenNear = (selector, draw) => {
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting || entry.target.classList.contains("drawn")) continue;
        seen.unobserve(entry.target);
        draw(entry.target);
      }
    }, { rootMargin: near + "px" });
    for (const element of all(selector)) {
      const box = element.getBoundingClientRect();
      if (box.height && box.top < innerHeight + near) draw(element);
      else seen.observe(element);
    }
  };

  // calls `build` when the colours change, and when an element has another width
  const whenChanged = (element, build) => {
    addEventListener("repaint", build);
    let width = element.clientWidth;
    new ResizeObserver(() => {
      if (Math.abs(element.clientWidth - width) < 8 || !element.clientWidth) return;
      width = element.clientWidth;
      build();
    }).observe(element);
  };

  // light or dark

  const kept = (act) => { try { return act(localStorage); } catch { return null; } }; // a private window keeps nothing
  const repaint = () => dispatchEvent(new Event("repaint"));
  const paint = () => {
    document.documentElement.dataset.scheme = scheme.value;
    repaint();
  };
  const choose = () => { paint(); kept((store) => store.setItem("grambench-scheme", scheme.value)); };
  const scheme = make("select", { "aria-label": "Theme", onchange: choose });
  for (const value of ["", "light", "dark"]) scheme.append(make("option", { value }, "Theme: " + (value || "system")));
  scheme.value = kept((store) => store.getItem("grambench-scheme")) || "";
  paint();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  document.querySelector("header.top nav").append(scheme);

  // a link into a closed block opens it, and paper shows everything

  const unfold = (element) => {
    for (let block = element?.closest("details"); block; block = block.parentElement.closest("details")) block.open = true;
  };
  const aimed = () => location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const reveal = () => {
    const target = aimed();
    if (!target || !target.closest("details:not([open])")) return;
    unfold(target);
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => { for (const block of all("details")) block.open = true; });

  // one file: one page at a time

  if (document.documentElement.classList.contains("whole")) {
    const pages = all("article.page");
    const show = () => {
      const target = aimed();
      if (target && !target.closest("article.page")) return;
      const chosen = target ? target.closest("article.page") : pages[0];
      for (const page of pages) page.hidden = page !== chosen;
      document.title = chosen.dataset.title + " · grambench";
      if (target) { unfold(target); target.scrollIntoView(); }
      else scrollTo(0, 0);
    };
    addEventListener("hashchange", show);
    show();
  }

  // commands to copy

  for (const command of all("code.command")) {
    const copy = async () => {
      try { await navigator.clipboard.writeText(command.textContent); button.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(command); button.textContent = "Selected"; } // no clipboard: Ctrl-C copies
    };
    const button = make("button", { type: "button", class: "copy", "aria-label": "Copy: " + command.textContent, onclick: copy }, "Copy");
    command.after(" ", button);
  }

  return { all, make, svg, place, colour, number, within, steps, whenNear, whenChanged };
})();
