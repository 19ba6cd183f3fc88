// Light or dark.
"use strict";
(() => {
  const { make, stored } = grambench;
  const schemes = { "": "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const repaint = () => dispatchEvent(new Event("repaint"));
  const scheme = make("select", { "aria-label": "Theme", onchange: () => { paint(); stored.set("scheme", scheme.value); } });
  for (const [value, text] of Object.entries(schemes)) scheme.append(make("option", { value }, text));
  const paint = () => {
    document.documentElement.dataset.scheme = scheme.value;
    repaint();
  };
  scheme.value = stored.get("scheme") || "";
  paint();
  dark.addEventListener("change", repaint);
  const bar = document.querySelector("header.top nav");
  if (bar) bar.append(scheme);
})();
