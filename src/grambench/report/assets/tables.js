// Tables that sort, filter and search, and cells that say more.
"use strict";
(() => {
  const { all, make, place } = grambench;

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
      const search = (event) => { state.words = event.target.value; apply(); };
      tools.append(make("input", { type: "search", placeholder: "Search", "aria-label": "Search: " + name, oninput: search }));
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
    const others = { margin: "Margin", p_value: "p", rank_p_value: "p by rank", z: "z", verdict: "Verdict", why: "Remark" };
    for (const [name, title] of Object.entries(others)) if (name in found) add(title, String(found[name]));
    const page = cell.querySelector("a.ours");
    if (page && "record" in found) add("Record", make("a", { href: page.getAttribute("href") }, "repetitions, settings and data"));
    if ("record" in found) {
      const short = found.record.replace(/^results\//, "");
      add("File", results ? make("a", { href: results + short }, found.record) : found.record);
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
    // the number links to its record; on a touch screen, which has no hovering, the card with that link comes first
    if (cell && event.target.closest("a") && matchMedia("(hover: hover)").matches) return;
    if (cell) { event.preventDefault(); pinned = cell; tell(cell); cell.focus({ preventScroll: true }); }
    else if (!card.contains(event.target)) hide();
  });
  addEventListener("scroll", () => { if (!card.hidden) hide(); }, { passive: true });
  // by keyboard: one cell of a table can be reached, the arrows go on from there
  for (const table of all("table.numbers")) table.querySelector("td[data-k]")?.setAttribute("tabindex", "0");
  for (const link of all("td[data-k] > a.ours")) link.tabIndex = -1;
  document.addEventListener("focusin", (event) => { if (event.target.matches?.("td[data-k]")) tell(event.target); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const cell = event.target.matches?.("td[data-k]") && event.target;
    if (cell && event.key === "Enter") cell.querySelector("a.ours")?.click();
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
})();
