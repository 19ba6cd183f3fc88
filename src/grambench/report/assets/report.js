// Tables that sort, filter and search; cells that say more; figures that can be looked into. Without it the pages are whole.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  };
  const stored = {
    get: (key) => { try { return localStorage.getItem("grambench-" + key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem("grambench-" + key, value); } catch { /* private window */ } },
  };

  // one file: one page at a time

  if (document.documentElement.classList.contains("whole")) {
    const pages = all("article.page");
    const show = () => {
      const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (target && !target.closest("article.page")) return;
      const chosen = target ? target.closest("article.page") : pages[0];
      for (const page of pages) page.hidden = page !== chosen;
      document.title = chosen.dataset.title + " · grambench";
      if (target) target.scrollIntoView();
      else scrollTo(0, 0);
    };
    addEventListener("hashchange", show);
    show();
  }

  // light or dark

  const schemes = { "": "as the system", light: "light", dark: "dark" };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const repaint = () => dispatchEvent(new Event("repaint"));
  const scheme = make("select", { "aria-label": "Colours", onchange: () => { paint(); stored.set("scheme", scheme.value); } });
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

  // tables

  const value = (cell) => {
    if (!cell) return "";
    const text = (cell.dataset.v ?? (cell.querySelector(".ours") || cell).textContent).trim();
    const number = parseFloat(text.replace(/,/g, ""));
    return /^[-+]?[\d.]/.test(text) && !Number.isNaN(number) ? number : text.toLowerCase();
  };
  const before = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1; // numbers first, then words such as "timeout"
  };
  const labelled = (row) => row.cells[0].textContent.trim();

  for (const table of all("table.sortable")) {
    const bodies = all("tbody", table);
    const grouped = bodies.length > 1;
    const rows = [...bodies[0]?.rows ?? []].filter((row) => !row.classList.contains("head"));
    const order = new Map((grouped ? bodies : rows).map((unit, place) => [unit, place]));
    const state = { column: -1, down: false, words: "", row: "", first: false };
    const heads = [...table.tHead.rows[0].cells];
    const said = make("span", { class: "count", role: "status" });

    const cellOf = (unit, column) => {
      if (!grouped) return unit.cells[column];
      return [...unit.rows].find((row) => !row.classList.contains("head") && !row.hidden)?.cells[column];
    };
    const key = (unit) => {
      if (grouped && state.column === 0) return unit.rows[0].textContent.trim().toLowerCase();
      return value(cellOf(unit, state.column));
    };
    const apply = () => {
      const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
      const has = (text) => words.every((word) => text.toLowerCase().includes(word));
      let seen = 0;
      for (const body of bodies) {
        let shown = 0;
        const head = body.querySelector("tr.head");
        for (const row of body.rows) {
          if (row === head) continue;
          const text = (head ? head.textContent + " " : "") + row.textContent;
          row.hidden = !has(text) || (state.row && labelled(row) !== state.row);
          shown += !row.hidden;
        }
        if (grouped) body.hidden = shown === 0;
        seen += grouped ? shown > 0 : shown;
      }
      const units = [...order.keys()].sort((a, b) => {
        if (state.first) {
          const differs = (unit) => (unit.matches(".differs") || unit.querySelector(".differs") ? 0 : 1);
          if (differs(a) !== differs(b)) return differs(a) - differs(b);
        }
        if (state.column >= 0) {
          const [one, other] = [key(a), key(b)];
          const by = before(one, other);
          if (by) return state.down && typeof one === typeof other ? -by : by; // what has no number is last either way
        }
        return order.get(a) - order.get(b);
      });
      (grouped ? table : bodies[0])?.append(...units);
      heads.forEach((head, place) => {
        if (place === state.column) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      said.textContent = seen < order.size ? `${seen} of ${order.size}` : "";
    };

    heads.forEach((head, place) => {
      if (!head.textContent.trim()) return;
      const button = make("button", { type: "button", class: "sort", title: "Sort by this column" });
      // a link cannot stand in a button: the button is then the arrow alone
      if (head.querySelector("a")) button.setAttribute("aria-label", "Sort by " + head.textContent.trim());
      else button.append(...head.childNodes);
      button.addEventListener("click", () => {
        const high = [...order.keys()].some((unit) => cellOf(unit, place)?.hasAttribute("data-high")); // the best on top
        if (state.column !== place) Object.assign(state, { column: place, down: high });
        else if (state.down === high) state.down = !high;
        else state.column = -1;
        apply();
      });
      head.append(button);
    });
    if (table.classList.contains("searched") && order.size > 2) {
      const name = table.caption?.textContent.trim().slice(0, 60) || "table";
      const tools = make("div", { class: "tools" });
      tools.append(
        make("input", {
          type: "search",
          placeholder: "Search",
          "aria-label": "Search: " + name,
          oninput: (event) => { state.words = event.target.value; apply(); },
        })
      );
      const labels = grouped ? [...new Set(all("tbody tr:not(.head)", table).map(labelled))] : [];
      if (labels.length > 1 && labels.length < 12) {
        const choice = make("select", {
          "aria-label": "Rows: " + name,
          onchange: (event) => { state.row = event.target.value; apply(); },
        });
        choice.append(make("option", { value: "" }, "All rows"), ...labels.map((text) => make("option", { value: text }, text)));
        tools.append(choice);
      }
      if (table.querySelector("tr.differs")) {
        const text = table.querySelector(".c-fails") ? " failing first" : " different first";
        const box = make("input", { type: "checkbox", onchange: () => { state.first = box.checked; apply(); } });
        tools.append(make("label", {}, box, text));
      }
      tools.append(said);
      (table.closest(".scroll") || table).before(tools);
    }
  }

  // on a narrow screen cells stand below each other, each with the name of its column
  for (const table of all("table.stack")) {
    const names = [...(table.tHead?.rows[0].cells ?? [])].map((head) => head.textContent.trim());
    for (const cell of all("tbody td", table)) cell.dataset.label = names[cell.cellIndex] ?? "";
  }

  const fades = all("input.fade");
  for (const box of fades) {
    box.addEventListener("change", () => {
      for (const other of fades) if (other.value === box.value) other.checked = box.checked;
      document.body.classList.toggle("no-" + box.value, !box.checked);
    });
  }

  // cells

  const card = make("div", { class: "card", role: "tooltip", id: "card", hidden: true });
  document.body.append(card);
  const results = document.documentElement.dataset.results;
  const details = new Map();
  let pinned = null;

  const detail = (cell) => {
    const article = cell.closest("article");
    if (!details.has(article)) {
      details.set(article, JSON.parse(article.querySelector("script.cells")?.textContent || "{}"));
    }
    return details.get(article)[cell.dataset.k];
  };
  const place = (element, left, top) => {
    element.hidden = false;
    const box = element.getBoundingClientRect();
    element.style.left = Math.max(8, Math.min(left, document.documentElement.clientWidth - box.width - 8)) + "px";
    element.style.top = (top + box.height + 8 > innerHeight ? Math.max(8, top - box.height - 28) : top) + "px";
  };
  const tell = (cell) => {
    const found = detail(cell);
    if (!found) return;
    const [dataset, , ] = cell.dataset.k.split("|");
    const row = cell.parentElement;
    const column = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].textContent.trim();
    const lines = [];
    const add = (name, text) => lines.push(make("dt", {}, name), make("dd", {}, text));
    if ("mean" in found) add("This run", `mean ${found.mean}` + ("std" in found ? `, std ${found.std}` : "") + `, ${found.runs} run${found.runs === 1 ? "" : "s"}`);
    if ("replicated" in found) add(`Mean of ${found.replications} replications`, String(found.replicated));
    if ("published" in found) add("Published", found.published);
    if ("difference" in found) add("replicated" in found ? "Replications less published" : "This run less published", String(found.difference));
    if ("low" in found) add("99 % interval of that", `${found.low} to ${found.high}`);
    if ("margin" in found) add("Margin", String(found.margin));
    if ("p_value" in found) add("p", String(found.p_value));
    if ("rank_p_value" in found) add("p by rank", String(found.rank_p_value));
    if ("z" in found) add("z", String(found.z));
    if ("verdict" in found) add("Verdict", found.verdict);
    if ("why" in found) add("Remark", found.why);
    if ("record" in found) {
      const short = found.record.replace(/^results\//, "");
      add("Record", results ? make("a", { href: results + short }, found.record) : found.record);
    }
    const title = [dataset, column, labelled(row)].filter((text, at, list) => text && list.indexOf(text) === at);
    card.replaceChildren(make("b", {}, title.join(" · ")), make("dl", {}, ...lines));
    const box = cell.getBoundingClientRect();
    place(card, box.left, box.bottom + 4);
  };
  const hide = () => { pinned = null; card.hidden = true; };
  const told = (event) => event.target.closest?.("td[data-k]");
  document.addEventListener("mouseover", (event) => {
    if (pinned) return;
    const cell = told(event);
    if (cell) tell(cell);
    else if (!card.contains(event.target)) card.hidden = true;
  });
  document.addEventListener("click", (event) => {
    const cell = told(event);
    if (cell) { pinned = cell; tell(cell); cell.focus({ preventScroll: true }); }
    else if (!card.contains(event.target)) hide();
  });
  addEventListener("scroll", () => { if (!card.hidden) hide(); }, { passive: true });
  // by keyboard: one cell of a table can be reached, the arrows go on from there
  for (const table of all("table.numbers")) table.querySelector("td[data-k]")?.setAttribute("tabindex", "0");
  document.addEventListener("focusin", (event) => { if (event.target.matches?.("td[data-k]")) tell(event.target); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const cell = event.target.matches?.("td[data-k]") && event.target;
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] || [0, 0];
    if (!cell || (!down && !right)) return;
    const rows = all("tr", cell.closest("table")).filter((row) => row.cells.length > 1 && !row.hidden && row.parentElement.tagName === "TBODY");
    const next = down ? rows[rows.indexOf(cell.parentElement) + down]?.cells[cell.cellIndex] : cell.parentElement.cells[cell.cellIndex + right];
    if (!next || next.tagName !== "TD") return;
    cell.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
    event.preventDefault();
  });

  // figures

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const number = (x) => (x === null || x === undefined ? "" : Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(+x.toPrecision(4)));

  const tick = (x) => (x !== 0 && (Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3) ? (+x.toPrecision(3)).toExponential() : number(x));

  const csv = (chart) => {
    const quoted = (text) => (/[",\n]/.test(text) ? `"${String(text).replace(/"/g, '""')}"` : String(text ?? ""));
    const rows = [["panel", "line", "name", "x", "mean", "std"]];
    for (const panel of chart.panels) {
      for (const line of panel.lines) {
        line.x.forEach((x, at) => rows.push([panel.title, chart.series[line.of].title, line.names?.[at], x, line.mean[at], line.std?.[at] ?? ""]));
      }
    }
    return rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
  };
  const download = (name, text) => {
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    make("a", { href: address, download: name }).click();
    URL.revokeObjectURL(address);
  };

  // all lines of a panel over the x that any of them has: [x, then mean, low and high of each]
  const aligned = (panel, axes) => {
    const entries = panel.lines.map((line) => {
      const points = line.x.map((x, at) => [x, line.mean[at], line.std?.[at] ?? 0, line.names?.[at]]);
      return points.filter(([x, y]) => x !== null && y !== null && !(axes.x && x <= 0) && !(axes.y && y <= 0)).sort((a, b) => a[0] - b[0]);
    });
    // points that share an x stay apart
    const slots = [];
    const merged = entries.flatMap((points, of) => points.map((point) => ({ of, point }))).sort((a, b) => a.point[0] - b.point[0]);
    for (const entry of merged) {
      const last = slots[slots.length - 1];
      if (last && last.x === entry.point[0] && !(entry.of in last.at)) last.at[entry.of] = entry.point;
      else slots.push({ x: entry.point[0], at: { [entry.of]: entry.point } });
    }
    const column = (pick) => panel.lines.map((_, of) => slots.map((slot) => (slot.at[of] ? pick(slot.at[of]) : null)));
    return {
      x: slots.map((slot) => slot.x),
      mean: column((point) => point[1]),
      low: column((point) => (axes.y ? Math.max(point[1] - point[2], point[1] / 1000) : point[1] - point[2])),
      high: column((point) => point[1] + point[2]),
      names: column((point) => point[3] ?? ""),
    };
  };
  const room = (data, axes, hidden, panel) => {
    const values = data.mean.flatMap((column, of) => (hidden.has(panel.lines[of].of) ? [] : column)).filter((y) => y !== null);
    if (!values.length) return [0, 1];
    const low = Math.min(...values), high = Math.max(...values);
    if (axes.y) return [low / 1.3, high * 1.3];
    const span = high - low || Math.abs(high) || 1;
    const floor = low >= 0 ? Math.max(low - 0.15 * span, 0) : low - 0.15 * span;
    return [floor, high + 0.08 * span];
  };

  const swatch = (look) => { // a piece of the line, or a dot
    const of = (tag, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      return element;
    };
    const picture = of("svg", { class: "swatch", width: look.points ? 10 : 26, height: 10, "aria-hidden": "true" });
    if (look.points) picture.append(of("circle", { cx: 5, cy: 5, r: 4.5, fill: "currentColor" }));
    else picture.append(of("line", { x1: 0, x2: 26, y1: 5, y2: 5, stroke: "currentColor", "stroke-width": 2.4, "stroke-dasharray": look.dash.join(" ") }));
    return picture;
  };

  const draw = (figure) => {
    const chart = JSON.parse(figure.querySelector("script.numbers").textContent);
    const axes = { x: chart.x.log, y: chart.y.log };
    const hidden = new Set();
    const live = make("div", { class: "live" });
    const legend = make("div", { class: "legend-buttons", role: "group", "aria-label": "Lines; click one to hide it" });
    const grid = make("div", { class: "panels" + (chart.panels.length === 1 ? " single" : "") });
    const tip = make("div", { class: "card", hidden: true });
    const banded = chart.panels.some((panel) => panel.lines.some((line) => line.std));
    let bands = banded, plots = [];

    const ink = (series) => series.colour || colour("--ink");
    const build = () => {
      for (const plot of plots) plot.destroy();
      const holders = chart.panels.map(() => make("div", { class: "panel" })); // all, since each is as wide as there is room
      grid.replaceChildren(...holders);
      plots = chart.panels.map((panel, at) => plotted(panel, holders[at]));
    };
    const decades = (low, high) => { // ticks of a logarithmic axis
      const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
      const steps = to - from > 3 ? [1] : [1, 2, 5];
      const found = [];
      for (let power = from; power <= to; power++) for (const step of steps) found.push(+(step * 10 ** power).toPrecision(2));
      return found.filter((tick) => tick >= low && tick <= high);
    };
    const plotted = (panel, holder) => {
      const data = aligned(panel, axes);
      const single = chart.panels.length === 1;
      if (panel.title) holder.append(make("b", {}, panel.title));
      const target = make("div", { role: "img", "aria-label": panel.title || figure.querySelector("img").alt });
      holder.append(target);
      const series = [{}], columns = [data.x], belts = [];
      panel.lines.forEach((line, of) => {
        const look = chart.series[line.of];
        const shown = !hidden.has(line.of);
        series.push({
          label: look.title,
          show: shown,
          stroke: ink(look),
          width: 1.8,
          dash: look.dash,
          spanGaps: true,
          paths: look.points ? () => null : undefined,
          points: { show: look.points || line.x.length === 1, size: 8, fill: ink(look), stroke: colour("--ground"), width: 1 },
        });
        columns.push(data.mean[of]);
      });
      panel.lines.forEach((line, of) => {
        if (!line.std || !bands || chart.series[line.of].points) return;
        const shown = !hidden.has(line.of), from = series.length;
        series.push({ show: shown, stroke: "transparent", width: 0, spanGaps: true, points: { show: false } });
        series.push({ show: shown, stroke: "transparent", width: 0, spanGaps: true, points: { show: false } });
        columns.push(data.high[of], data.low[of]);
        belts.push({ series: [from, from + 1], fill: ink(chart.series[line.of]) + (panel.lines.length > 3 ? "16" : "22") });
      });
      const places = Object.entries(chart.x.ticks);
      const grey = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui, sans-serif" };
      const turned = places.length > 8;
      const plot = new uPlot(
        {
          width: Math.max(holder.clientWidth, 220),
          height: single ? 360 : chart.panels.length === 2 ? 300 : 230,
          legend: { show: false },
          cursor: { drag: { x: true, y: true, uni: 20 }, focus: { prox: 24 }, points: { size: 7 } },
          focus: { alpha: 0.25 },
          scales: {
            x: {
              time: false,
              distr: axes.x ? 3 : 1,
              range: (_, low, high) => {
                if (places.length) return [-0.5, places.length - 0.5];
                if (low === null) return [1, 10];
                if (axes.x) return [low / (low === high ? 2 : 1.05), high * (low === high ? 2 : 1.05)];
                const extra = chart.series.some((each) => each.points) ? 0.05 * (high - low || 1) : 0;
                return [low - extra, high + extra];
              },
            },
            y: { distr: axes.y ? 3 : 1, dir: chart.y.down ? -1 : 1, range: (u, low, high) => (u.zoomed ? [low, high] : room(data, axes, hidden, panel)) },
          },
          axes: [
            {
              ...grey,
              label: single ? chart.x.label : undefined,
              labelFont: "12px system-ui, sans-serif",
              labelSize: 18,
              ...(places.length ? { splits: () => places.map(([, x]) => x), values: () => places.map(([name]) => name), rotate: turned ? -50 : 0, size: turned ? 74 : 34, grid: { show: false } } : { ...(axes.x ? { splits: (u, at, low, high) => decades(low, high), filter: (u, ticks) => ticks } : {}), values: (_, ticks) => ticks.map(tick) }),
            },
            { ...grey, label: single ? chart.y.label : undefined, labelFont: "12px system-ui, sans-serif", labelSize: 18, size: 54, ...(axes.y ? { splits: (u, at, low, high) => decades(low, high), filter: (u, ticks) => ticks } : {}), values: (_, ticks) => ticks.map(tick) },
          ],
          series,
          bands: belts,
          hooks: {
            setSelect: [(u) => { u.zoomed = u.select.width > 0; }],
            setCursor: [(u) => hover(u, panel, data)],
            draw: [(u) => { bars(u, panel, data); names(u, panel, data); if (chart.diagonal) diagonal(u); }],
          },
        },
        columns,
        target
      );
      plot.over.addEventListener("mouseleave", () => { tip.hidden = true; });
      plot.over.addEventListener("dblclick", () => { plot.zoomed = false; build(); });
      return plot;
    };
    const names = (u, panel, data) => { // of lines that are one point each
      u.ctx.save();
      u.ctx.fillStyle = colour("--ink");
      u.ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      const boxes = []; // of the names so far: a name that would cover another is left out, and hovering tells it
      panel.lines.forEach((line, of) => {
        if (line.x.length > 1 || !line.names || hidden.has(line.of)) return;
        const at = data.mean[of].findIndex((y) => y !== null);
        if (at < 0) return;
        const x = u.valToPos(data.x[at], "x", true), y = u.valToPos(data.mean[of][at], "y", true), gap = 7 * devicePixelRatio;
        const right = x + gap + u.ctx.measureText(line.names[0]).width < u.bbox.left + u.bbox.width;
        u.ctx.textAlign = right ? "left" : "right";
        const wide = u.ctx.measureText(line.names[0]).width + gap, from = right ? x : x - wide;
        const box = { x0: from, x1: from + wide, y0: y - gap, y1: y + gap };
        if (boxes.some((other) => box.x0 < other.x1 && other.x0 < box.x1 && box.y0 < other.y1 && other.y0 < box.y1)) return;
        boxes.push(box);
        u.ctx.fillText(line.names[0], right ? x + gap : x - gap, y + gap / 2);
      });
      u.ctx.restore();
    };
    const bars = (u, panel, data) => { // of points, in the place of bands
      if (!bands) return;
      const { ctx } = u;
      panel.lines.forEach((line, of) => {
        const look = chart.series[line.of];
        if (!look.points || !line.std || hidden.has(line.of)) return;
        ctx.save();
        ctx.beginPath();
        ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        ctx.clip();
        ctx.strokeStyle = ink(look);
        ctx.globalAlpha = 0.5;
        ctx.beginPath();
        data.x.forEach((x, at) => {
          if (data.mean[of][at] === null) return;
          const across = u.valToPos(x, "x", true);
          ctx.moveTo(across, u.valToPos(data.low[of][at], "y", true));
          ctx.lineTo(across, u.valToPos(data.high[of][at], "y", true));
        });
        ctx.stroke();
        ctx.restore();
      });
    };
    const diagonal = (u) => {
      const low = Math.max(u.scales.x.min, u.scales.y.min), high = Math.min(u.scales.x.max, u.scales.y.max);
      if (!(low < high)) return;
      u.ctx.save();
      u.ctx.strokeStyle = colour("--soft");
      u.ctx.beginPath();
      u.ctx.moveTo(u.valToPos(low, "x", true), u.valToPos(low, "y", true));
      u.ctx.lineTo(u.valToPos(high, "x", true), u.valToPos(high, "y", true));
      u.ctx.stroke();
      u.ctx.restore();
    };
    const hover = (u, panel, data) => {
      const { left, top, idx } = u.cursor;
      if (idx === null || idx === undefined || left < 0) { tip.hidden = true; return; }
      const pointed = chart.series[panel.lines[0].of].points;
      let rows = [];
      if (pointed) { // the nearest point
        let best = 30 ** 2, found = null;
        panel.lines.forEach((line, of) => {
          if (hidden.has(line.of)) return;
          data.x.forEach((x, at) => {
            if (data.mean[of][at] === null) return;
            const apart = (u.valToPos(x, "x") - left) ** 2 + (u.valToPos(data.mean[of][at], "y") - top) ** 2;
            if (apart < best) [best, found] = [apart, [line, of, at]];
          });
        });
        if (!found) { tip.hidden = true; return; }
        const [line, of, at] = found;
        const name = data.names[of][at];
        const spread = line.std ? ` ± ${number(data.high[of][at] - data.mean[of][at])}` : "";
        const x = Object.keys(chart.x.ticks).length ? "" : `${chart.x.label || "x"} ${number(data.x[at])}, `;
        rows = [make("b", {}, name || chart.series[line.of].title), make("span", {}, name && name !== chart.series[line.of].title ? chart.series[line.of].title : ""), make("span", {}, `${x}${chart.y.label || "y"} ${number(data.mean[of][at])}${spread}`)];
      } else {
        const near = panel.lines.map((line, of) => {
          if (hidden.has(line.of)) return null;
          let at = idx; // the nearest place that this line has
          for (let step = 0; step < data.x.length && data.mean[of][at] === null; step++) at = idx + (step % 2 ? -1 : 1) * ((step >> 1) + 1);
          return data.mean[of]?.[at] == null ? null : { line, y: data.mean[of][at], std: line.std ? data.high[of][at] - data.mean[of][at] : null };
        }).filter(Boolean).sort((a, b) => b.y - a.y);
        const named = Object.entries(chart.x.ticks).find(([, x]) => x === data.x[idx])?.[0];
        rows = [make("b", {}, `${chart.x.label || "x"} ${named ?? number(data.x[idx])}`)];
        for (const { line, y, std } of near) {
          const look = swatch(chart.series[line.of]);
          look.style.color = ink(chart.series[line.of]);
          rows.push(make("span", {}, look, `${chart.series[line.of].title}: ${number(y)}${std ? ` ± ${number(std)}` : ""}`));
        }
      }
      tip.replaceChildren(...rows);
      const box = u.over.getBoundingClientRect();
      place(tip, box.left + left + 14, box.top + top + 14);
    };

    chart.series.forEach((look, of) => {
      const button = make("button", { type: "button", "aria-pressed": "true" }, swatch(look), look.title);
      button.addEventListener("click", () => {
        if (hidden.has(of)) hidden.delete(of); else hidden.add(of);
        button.setAttribute("aria-pressed", String(!hidden.has(of)));
        build();
      });
      const focus = (on) => plots.forEach((plot, at) => {
        const which = chart.panels[at].lines.findIndex((line) => line.of === of);
        if (which >= 0) plot.setSeries(on ? which + 1 : null, { focus: on });
      });
      button.addEventListener("mouseenter", () => focus(true));
      button.addEventListener("mouseleave", () => focus(false));
      legend.append(button);
    });
    const dye = () => all("svg", legend).forEach((each, of) => { each.style.color = ink(chart.series[of]); });

    const tools = make("div", { class: "tools" });
    const toggle = (text, get, set) => {
      const box = make("input", { type: "checkbox" });
      box.checked = get();
      box.addEventListener("change", () => { set(box.checked); build(); });
      tools.append(make("label", {}, box, " " + text));
    };
    if (!Object.keys(chart.x.ticks).length) toggle("x logarithmic", () => axes.x, (on) => { axes.x = on; });
    toggle("y logarithmic", () => axes.y, (on) => { axes.y = on; });
    if (banded) toggle("standard deviations", () => bands, (on) => { bands = on; });
    tools.append(make("button", { type: "button", onclick: build }, "Whole range"));
    tools.append(make("span", { class: "where" }, "Drag to zoom, double click to come back."));

    live.append(legend, grid, tip);
    if (chart.panels.length > 1) live.append(make("p", { class: "axes" }, [chart.y.label, "against", chart.x.label.toLowerCase()].filter(Boolean).join(" ")));
    live.append(tools);
    figure.querySelector(".still").before(live);
    figure.classList.add("drawn");
    const files = figure.querySelector(".files");
    files.append(" ", make("button", { type: "button", class: "link", onclick: () => download(figure.dataset.name + ".csv", csv(chart)) }, "Data (CSV)"));
    dye();
    build();
    addEventListener("repaint", () => { dye(); build(); });
    let width = grid.clientWidth;
    new ResizeObserver(() => {
      if (Math.abs(grid.clientWidth - width) < 8 || !grid.clientWidth) return;
      width = grid.clientWidth;
      build();
    }).observe(grid);
  };

  // the first screen of a leaderboard: ranks and a Pareto front, whose contents can be chosen

  const svg = (tag, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  // ranks of some values, 1 for the lowest, ties by their mean rank
  const ranked = (values) => values.map((value) => {
    const [less, same] = [values.filter((other) => other < value - 1e-9), values.filter((other) => Math.abs(other - value) <= 1e-9)];
    return less.length + (same.length + 1) / 2;
  });
  // no other is at most as high in both and lower in one
  const frontOf = (dots) => dots.filter((dot) => !dots.some((other) => other.x <= dot.x && other.y <= dot.y && (other.x < dot.x || other.y < dot.y)));
  const ROW = 16, AXIS = 40, LETTERS = "12px system-ui, sans-serif";
  const measure = document.createElement("canvas").getContext("2d");
  const widthOf = (text, bold) => { measure.font = (bold ? "bold " : "") + LETTERS; return measure.measureText(text).width; };
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

  const drawBoard = (section) => {
    const { algorithms, datasets, metrics, costs, groups } = JSON.parse(section.querySelector("script.numbers").textContent);
    const addresses = JSON.parse(section.querySelector("script.addresses").textContent);
    const off = new Set();
    const name = (of) => (algorithms[of].own ? "★ " : "") + algorithms[of].title;
    const ink = (of) => algorithms[of].colour || colour("--ink");
    const pick = (label, options, selected = 0) => {
      const select = make("select", { onchange: () => build() });
      options.forEach((text, value) => select.append(make("option", { value }, text)));
      select.value = String(selected);
      return { select, element: make("label", {}, label + " ", select), get: () => Number(select.value) };
    };
    const dataset = pick("Data set", ["All data sets", ...datasets]);
    const metric = pick("Metric", metrics.map((each) => each.label));
    const cost = pick("Cost", costs.map((at) => metrics[at].label));
    const axis = pick("Axes", ["Logarithmic", "Linear"]);
    const boxes = algorithms.map((_, of) => {
      const box = make("input", { type: "checkbox", onchange: () => { if (box.checked) off.delete(of); else off.add(of); build(); } });
      box.checked = true;
      return box;
    });
    const every = (on) => { boxes.forEach((box, of) => { box.checked = on; if (on) off.delete(of); else off.add(of); }); build(); };
    const count = make("summary", {});
    const algorithmPicker = make("details", { class: "picker" }, count, make("div", {},
      make("p", {}, make("button", { type: "button", onclick: () => every(true) }, "All"), " ", make("button", { type: "button", onclick: () => every(false) }, "None")),
      ...boxes.map((box, of) => make("label", {}, box, " " + name(of)))));
    algorithmPicker.addEventListener("keydown", (event) => { if (event.key === "Escape") { algorithmPicker.open = false; count.focus(); } });
    const status = make("p", { class: "where", role: "status" });
    const holders = [make("div", { class: "rank-chart" }), make("div", { class: "front-chart" })];

    // a name that leads to the algorithm's page
    const link = (of, attributes) => {
      const text = svg("text", { ...attributes, class: algorithms[of].own ? "own" : undefined }, name(of));
      return addresses[of] ? svg("a", { href: addresses[of] }, text) : text;
    };
    const dot = (of, x, y, size = 4.5) => {
      if (!algorithms[of].own) return svg("circle", { cx: x, cy: y, r: size, fill: ink(of) });
      const corners = Array.from({ length: 10 }, (_, at) => {
        const [radius, angle] = [at % 2 ? 4 : 9, (at * Math.PI) / 5];
        return `${x + radius * Math.sin(angle)},${y - radius * Math.cos(angle)}`;
      });
      return svg("polygon", { points: corners.join(" "), fill: ink(of), class: "star" });
    };
    const frame = (holder, height, label) => {
      const width = Math.max(holder.clientWidth, 260);
      const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
      holder.replaceChildren(make("h2", {}, label), picture);
      return [picture, width];
    };
    const row = (of, title, ...children) => svg("g", { "data-a": of }, svg("title", {}, title), ...children);
    const scaleOf = (low, high, log, from, to) => {
      const f = log ? Math.log10 : (x) => x;
      return (x) => from + ((to - from) * (f(x) - f(low))) / (f(high) - f(low) || 1);
    };

    const build = () => {
      const chosen = algorithms.map((_, of) => of).filter((of) => !off.has(of));
      count.textContent = `Algorithms: ${chosen.length} of ${algorithms.length}`;
      const at = metrics[metric.get()], single = dataset.get() > 0;
      const asked = single ? [dataset.get() - 1] : datasets.map((_, place) => place);
      const complete = asked.filter((place) => chosen.every((of) => single || at.values[of][place] !== null));
      const shown = chosen.filter((of) => !single || at.values[of][complete[0]] !== null);
      status.textContent = "";
      if (!shown.length || !complete.length) {
        for (const holder of holders) holder.replaceChildren();
        status.textContent = chosen.length ? "No data set has results of all these algorithms. Choose fewer algorithms, or one data set." : "Choose algorithms.";
        return;
      }
      const places = complete.map((place) => shown.map((of) => (at.high ? -1 : 1) * at.values[of][place]));
      const ranks = places.map(ranked);
      const value = shown.map((of, i) => (single ? at.values[of][complete[0]] : mean(ranks.map((each) => each[i]))));
      const order = shown.map((_, i) => i).sort((a, b) => (single && at.high ? value[b] - value[a] : value[a] - value[b]));
      const basis = single ? datasets[complete[0]] : `${complete.length} of ${datasets.length} data sets`;
      status.textContent = `${shown.length} algorithms on ${basis}.`;
      const log = axis.get() === 0;
      drawRanks(order.map((i) => ({ of: shown[i], value: value[i] })), single ? at.label : `Mean rank by ${at.label.toLowerCase()}`, single && log && at.log, basis);

      const costly = metrics[costs[cost.get()]];
      const dots = shown.map((of, i) => {
        const worth = complete.map((place) => costly.values[of][place]);
        if (worth.some((each) => each === null || each <= 0)) return null;
        const behind = mean(places.map((each) => each[i] - Math.min(...each)));
        return { of, x: Math.exp(mean(worth.map(Math.log))), y: behind };
      }).filter(Boolean);
      if (dots.length) drawFront(dots, costly, at, log, basis, order.length);
      else holders[1].replaceChildren();
    };

    const drawRanks = (rows, label, log, basis) => {
      const single = dataset.get() > 0, whole = !single && !off.size && metric.get() === 0;
      const height = rows.length * ROW + AXIS;
      const [picture, width] = frame(holders[0], height, single ? `${label} on ${basis}` : `${label}, ${basis}`);
      const left = Math.max(...rows.map(({ of }) => widthOf(name(of), true))) + 10;
      const bars = whole ? levels(rows) : [];
      const right = width - 42 - 6 * bars.length;
      const values = rows.map(({ value }) => value).filter((x) => !log || x > 0);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      const extra = 0.04 * (most - least || 1);
      const [low, high] = log ? [least / 1.1, most * 1.1] : [least - extra, most + extra];
      const x = scaleOf(low, high, log, left, right), bottom = rows.length * ROW + 4;
      for (const tick of steps(low, high, log, 6)) {
        picture.append(svg("line", { x1: x(tick), x2: x(tick), y1: 0, y2: bottom, class: "grid" }), svg("text", { x: x(tick), y: bottom + 14, "text-anchor": "middle", class: "tick" }, number(tick)));
      }
      rows.forEach(({ of, value }, at) => {
        const y = at * ROW + ROW / 2 + 2, mark = log && value <= 0 ? left : x(value);
        const back = svg("rect", { x: 0, y: y - ROW / 2, width, height: ROW, class: algorithms[of].own ? "band own-band" : "band" });
        picture.append(row(of, `${name(of)}: ${number(value)}`, back, link(of, { x: left - 8, y: y + 4, "text-anchor": "end" }), dot(of, mark, y), svg("text", { x: mark + (algorithms[of].own ? 12 : 8), y: y + 4, class: "tick" }, single ? number(value) : value.toFixed(1))));
      });
      bars.forEach(([from, to, level]) => picture.append(svg("line", { x1: width - 4 - 6 * level, x2: width - 4 - 6 * level, y1: from * ROW + 4, y2: (to + 1) * ROW, class: "alike" })));
      picture.append(svg("text", { x: (left + right) / 2, y: bottom + 30, "text-anchor": "middle", class: "tick" }, bars.length ? "Mean rank; bars: no significant difference" : label));
    };
    // bars over rows that cannot be told apart, each on the first level where it touches no other
    const levels = (rows) => {
      const ends = [], place = new Map(rows.map(({ of }, at) => [of, at]));
      return groups.map((group) => group.map((of) => place.get(of)).sort((a, b) => a - b)).map((at) => [at[0], at[at.length - 1]]).sort((a, b) => a[0] - b[0]).map(([from, to]) => {
        let level = ends.findIndex((end) => end < from);
        if (level < 0) level = ends.length;
        ends[level] = to;
        return [from, to, level];
      });
    };

    const drawFront = (dots, costly, at, log, basis, count) => {
      const height = Math.max(Math.min(count * ROW + AXIS, 620), 320);
      const [picture, width] = frame(holders[1], height, `${at.label.replace(/ \(.*/, "")} against ${costly.label.replace(/ \(.*/, "").toLowerCase()}, ${basis}`);
      const left = 46, right = width - 10, top = 14, bottom = height - AXIS;
      const [xs, ys] = [dots.map((each) => each.x), dots.map((each) => each.y)];
      const [least, most] = [Math.min(...xs), Math.max(...xs)];
      const x = log ? scaleOf(least / 1.6, most * 2.5, true, left, right) : scaleOf(0, most * 1.15, false, left, right);
      // linear up to 1 and logarithmic from there on, the best on top, as in the figure for papers
      const bend = (y) => (log && y > 1 ? 1 + Math.log10(y) * 2 : y);
      const nearest = 0.6 * Math.min(...ys), shallowest = bend(nearest), deepest = bend(Math.max(...ys)) * 1.06 + 0.05;
      const y = (value) => top + ((bottom - top) * (bend(value) - shallowest)) / (deepest - shallowest);
      const across = log ? steps(least / 1.6, most * 2.5, true, width < 400 ? 5 : 8) : steps(0, most * 1.15, false, 5);
      for (const tick of across) picture.append(svg("line", { x1: x(tick), x2: x(tick), y1: top - 6, y2: bottom, class: "grid" }), svg("text", { x: x(tick), y: bottom + 15, "text-anchor": "middle", class: "tick" }, number(tick)));
      for (const tick of log ? [0, 0.5, 1, 2, 5, 10, 20, 50, 100, 1e3, 1e4, 1e5].filter((each) => each >= nearest && bend(each) <= deepest) : steps(nearest, Math.max(...ys, 0.1), false, 5)) picture.append(svg("line", { x1: left, x2: right, y1: y(tick), y2: y(tick), class: "grid" }), svg("text", { x: left - 5, y: y(tick) + 4, "text-anchor": "end", class: "tick" }, number(tick)));
      const front = frontOf(dots).sort((a, b) => a.x - b.x);
      picture.append(svg("path", { d: front.map((each, i) => (i ? `H${x(each.x)}V${y(each.y)}` : `M${x(each.x)},${y(each.y)}`)).join(""), class: "front" }));
      const boxes = dots.map((each) => ({ x0: x(each.x) - 6, x1: x(each.x) + 6, y0: y(each.y) - 6, y1: y(each.y) + 6 }));
      const first = (each) => (algorithms[each.of].own ? 0 : front.includes(each) ? 1 : 2);
      for (const each of [...dots].sort((a, b) => first(a) - first(b))) {
        const strong = first(each) < 2, wide = widthOf(name(each.of), strong), [px, py] = [x(each.x), y(each.y)];
        const places = [0, 1].flatMap((far) => [[9 + 5 * far, 4], [-9 - 5 * far - wide, 4], [6, -8 - 8 * far], [-wide - 2, -8 - 8 * far], [6, 16 + 8 * far], [-wide - 2, 16 + 8 * far], [-wide / 2, -9 - 8 * far], [-wide / 2, 19 + 8 * far]]);
        const free = places.map(([dx, dy]) => ({ x0: px + dx, x1: px + dx + wide, y0: py + dy - 11, y1: py + dy + 3 }))
          .find((box) => box.x0 > left && box.x1 < width && box.y0 > 0 && box.y1 < bottom + 2 && !boxes.some((other) => box.x0 < other.x1 && other.x0 < box.x1 && box.y0 < other.y1 && other.y0 < box.y1));
        if (free) boxes.push(free);
        const label = free ? [link(each.of, { x: free.x0, y: free.y0 + 11, "font-weight": strong ? "bold" : undefined })] : [];
        const group = row(each.of, `${name(each.of)}: ${number(each.x)} ${costly.label}, ${number(each.y)} behind the best`, dot(each.of, px, py, strong ? 5.5 : 4.5), ...label);
        if (front.includes(each)) group.setAttribute("class", "on-front");
        picture.append(group);
      }
      picture.append(svg("text", { x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle", class: "tick" }, `${costly.label}, geometric mean; bold: no other is better in both`));
      picture.append(svg("text", { x: 11, y: (top + bottom) / 2, "text-anchor": "middle", class: "tick", transform: `rotate(-90 11 ${(top + bottom) / 2})` }, `${at.label} behind the best`));
    };

    // the same algorithm stands out in both charts
    const mark = (event) => {
      const of = event.target.closest?.("[data-a]")?.dataset.a;
      for (const each of all("[data-a]", section)) each.classList.toggle("on", each.dataset.a === of);
    };
    const live = make("div", { class: "live" }, make("div", { class: "tools" }, dataset.element, metric.element, ...(costs.length > 1 ? [cost.element] : []), axis.element, algorithmPicker), make("div", { class: "pair" }, ...holders), status);
    for (const kind of ["mouseover", "mouseout", "focusin", "focusout"]) live.addEventListener(kind, mark);
    section.querySelector(".still").before(live);
    section.classList.add("drawn");
    build();
    addEventListener("repaint", build);
    let width = holders[0].clientWidth;
    new ResizeObserver(() => {
      if (Math.abs(holders[0].clientWidth - width) < 8 || !holders[0].clientWidth) return;
      width = holders[0].clientWidth;
      build();
    }).observe(holders[0]);
  };

  const near = 600; // pixels below the screen from which a figure is drawn
  const drawn = (element) => (element.matches(".board") ? drawBoard : draw)(element);
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting || entry.target.classList.contains("drawn")) continue;
      seen.unobserve(entry.target);
      drawn(entry.target);
    }
  }, { rootMargin: near + "px" });
  for (const figure of all("section.board, figure.chart")) {
    const box = figure.getBoundingClientRect();
    if (box.height && box.top < innerHeight + near) drawn(figure);
    else seen.observe(figure);
  }
})();
