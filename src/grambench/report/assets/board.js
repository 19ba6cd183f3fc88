// The first screen of a leaderboard: ranks and a Pareto front, whose contents can be chosen.
"use strict";
(() => {
  const { all, make, svg, colour, number, within, steps, whenNear, whenChanged } = grambench;
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
      const basis = single ? datasets[complete[0]] : `${complete.length} of ${datasets.length} data set${datasets.length === 1 ? "" : "s"}`;
      status.textContent = `${shown.length} algorithms on ${basis}.`;
      const log = axis.get() === 0;
      drawRanks(order.map((i) => ({ of: shown[i], value: value[i] })), single ? at.label : `Mean rank by ${within(at.label)}`, single && log && at.log, basis);

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
      const [picture, width] = frame(holders[1], height, `${at.label.replace(/ \(.*/, "")} against ${within(costly.label.replace(/ \(.*/, ""))}, ${basis}`);
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
    whenChanged(holders[0], build);
  };

  whenNear("section.board", drawBoard);
})();
