// Figures that can be looked into.
"use strict";
(() => {
  const { all, make, svg, place, colour, number, within, steps, whenNear, whenChanged } = grambench;
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
    const picture = svg("svg", { class: "swatch", width: look.points ? 10 : 26, height: 10, "aria-hidden": "true" });
    if (look.points) picture.append(svg("circle", { cx: 5, cy: 5, r: 4.5, fill: "currentColor" }));
    else picture.append(svg("line", { x1: 0, x2: 26, y1: 5, y2: 5, stroke: "currentColor", "stroke-width": 2.4, "stroke-dasharray": look.dash.join(" ") }));
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
        series.push(...[0, 1].map(() => ({ show: shown, stroke: "transparent", width: 0, spanGaps: true, points: { show: false } })));
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
            y: { distr: axes.y ? 3 : 1, range: (u, low, high) => (u.zoomed ? [low, high] : room(data, axes, hidden, panel)) },
          },
          axes: [
            {
              ...grey,
              label: single ? chart.x.label : undefined,
              labelFont: "12px system-ui, sans-serif",
              labelSize: 18,
              ...(places.length ? { splits: () => places.map(([, x]) => x), values: () => places.map(([name]) => name), rotate: turned ? -50 : 0, size: turned ? 74 : 34, grid: { show: false } } : { ...(axes.x ? { splits: (u, at, low, high) => steps(low, high, true, 5), filter: (u, ticks) => ticks } : {}), values: (_, ticks) => ticks.map(tick) }),
            },
            { ...grey, label: single ? chart.y.label : undefined, labelFont: "12px system-ui, sans-serif", labelSize: 18, size: 54, ...(axes.y ? { splits: (u, at, low, high) => steps(low, high, true, 5), filter: (u, ticks) => ticks } : {}), values: (_, ticks) => ticks.map(tick) },
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
    if (chart.panels.length > 1) live.append(make("p", { class: "axes" }, [chart.y.label, "against", within(chart.x.label)].filter(Boolean).join(" ")));
    live.append(tools);
    figure.querySelector(".still").before(live);
    figure.classList.add("drawn");
    const files = figure.querySelector(".files");
    files.append(" ", make("button", { type: "button", class: "link", onclick: () => download(figure.dataset.name + ".csv", csv(chart)) }, "Data (CSV)"));
    dye();
    build();
    whenChanged(grid, () => { dye(); build(); });
  };

  whenNear("figure.chart", draw);
})();
