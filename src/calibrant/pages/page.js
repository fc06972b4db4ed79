"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent || "{}");
  const SVG = "http://www.w3.org/2000/svg";
  const SHOWN = 20; // examples of each list at most
  document.documentElement.classList.add("js");

  // Everything is written as text nodes: no string of the data is ever parsed as markup.
  const make = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const draw = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const short = (value) => Number(value.toPrecision(3)).toString();
  const many = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
  const surprise = (entry) => -Math.log(entry[1] ? entry[2] : 1 - entry[2]);
  const later = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  // ---- examples ----------------------------------------------------------------------------
  const nearest = (edges, value) => {
    let best = 0;
    for (let k = 1; k < edges.length; k++) {
      if (Math.abs(edges[k] - value) < Math.abs(edges[best] - value)) best = k;
    }
    return best;
  };

  const paint = (parent, pieces) => {
    for (const [text, mark] of pieces) {
      if (mark) parent.append(make("mark", mark === 2 ? "second" : "", text));
      else parent.append(document.createTextNode(text));
    }
  };

  const plain = (pieces) => pieces.map((piece) => piece[0]).join("");

  // A parse in brackets, (S (NP (DT the) (NN man)) (VP ...)), as a tree of [label, children].
  const parsed = (text) => {
    const words = text.match(/[()]|[^\s()]+/g) || [];
    let at = 0;
    const read = () => {
      if (words[at] !== "(") return [words[at++], []];
      at++;
      const label = words[at] === "(" || words[at] === ")" ? "" : words[at++];
      const children = [];
      while (at < words.length && words[at] !== ")") children.push(read());
      at++;
      return [label, children];
    };
    if (words[0] !== "(" || words.length > 2000) return null;
    const tree = read();
    return at === words.length && tree[1].length ? tree : null;
  };

  const drawTree = (tree, brackets) => {
    const STEP = 26;
    let right = 4;
    let deepest = 0;
    const parts = [];
    const depth = (node) => (node[1].length ? 1 + Math.max(...node[1].map(depth)) : 0);
    const bottom = depth(tree);
    const widthOf = (text) => 8 + 7 * [...text].length;
    const place = (node, level, least) => { // at least as wide as the labels straight above it
      const leaf = !node[1].length;
      const wide = Math.max(least, widthOf(node[0]));
      const y = 16 + STEP * (leaf ? bottom : level);
      deepest = Math.max(deepest, y);
      let x;
      if (leaf) {
        x = right + wide / 2;
        right += wide + 6;
      } else {
        const below = node[1].map((child) => place(child, level + 1, node[1].length > 1 ? 0 : wide));
        x = (below[0].x + below[below.length - 1].x) / 2;
        for (const each of below) {
          parts.push(draw("line", { x1: x, y1: y + 4, x2: each.x, y2: each.y - 12 }));
        }
      }
      parts.push(draw("text", { x, y, "text-anchor": "middle" }, node[0]));
      return { x, y };
    };
    place(tree, 0, 0);
    const svg = draw("svg", {
      viewBox: `0 0 ${right + 4} ${deepest + 10}`, width: right + 4, height: deepest + 10,
      role: "img", "aria-label": `The parse: ${brackets}`,
    });
    svg.append(...parts);
    const box = make("div", "tree");
    box.append(svg);
    return box;
  };

  // Two marked places of a text, joined by an arc.
  const drawArc = (pieces) => {
    const [first, second] = [1, 2].map((mark) => pieces.find((piece) => piece[1] === mark));
    if (!first || !second) return null;
    const order = pieces.indexOf(first) < pieces.indexOf(second) ? [first, second] : [second, first];
    const cut = (text) => ([...text].length > 28 ? `${[...text].slice(0, 27).join("")}…` : text);
    const names = order.map((piece) => cut(piece[0]));
    const widths = names.map((name) => 7 * [...name].length + 8);
    const centres = [widths[0] / 2 + 4, widths[0] + 60 + widths[1] / 2];
    const middle = (centres[0] + centres[1]) / 2;
    const svg = draw("svg", {
      viewBox: `0 0 ${widths[0] + widths[1] + 68} 48`, width: widths[0] + widths[1] + 68, height: 48,
      role: "img", "aria-label": `${names[0]} and ${names[1]}: one entity?`,
    });
    svg.append(draw("path", { d: `M${centres[0]} 30Q${middle} -6 ${centres[1]} 30` }));
    names.forEach((name, k) => {
      svg.append(draw("text", { x: centres[k], y: 43, "text-anchor": "middle" }, name));
    });
    const box = make("div", "arc");
    box.append(svg);
    return box;
  };

  const card = (entry, table, outcomes) => {
    const [place, group, values] = table.rows[entry[0]];
    const item = make("li", "example");
    const facts = make("p", "facts");
    facts.append(make("span", "", `prediction ${short(entry[2])}`));
    facts.append(make("span", entry[1] ? "yes" : "no", outcomes[entry[1]]));
    if (group !== null) {
      const named = make("span", "", "group ");
      named.append(make("bdi", "", group));
      facts.append(named);
    }
    facts.append(make("span", "", place));
    item.append(facts);
    const list = make("dl", "");
    values.forEach((pieces, k) => {
      if (!pieces.length) return;
      list.append(make("dt", "", table.columns[k]));
      const value = make("dd", "");
      value.dir = "auto";
      const tree = table.columns[k] === "parse" ? parsed(plain(pieces)) : null;
      if (!tree) paint(value, pieces); // a tree shows all that its brackets say
      const figure = tree ? drawTree(tree, plain(pieces)) : drawArc(pieces);
      if (figure) value.append(figure);
      list.append(value);
    });
    if (list.children.length) item.append(list);
    return item;
  };

  const listOf = (title, entries, total, table, model) => {
    const part = document.createDocumentFragment();
    const hidden = total - entries.length;
    part.append(make(data.models.length > 1 ? "h4" : "h3", "list", `${title}${hidden > 0 ? ` (${many(hidden, "other row")} not shown)` : ""}`));
    const list = make("ol", "");
    for (const entry of entries) list.append(card(entry, table, model.outcomes));
    part.append(list);
    return part;
  };

  const show = (index, from, to) => {
    const model = data.models[index];
    const panel = document.querySelector(`.examples[data-model="${index}"]`);
    if (!panel || !model.examples) return;
    const sum = (name) => model[name].slice(from, to).reduce((a, b) => a + b, 0);
    const count = sum("count");
    const found = panel.querySelector(".found");
    found.replaceChildren();
    const [low, high] = [model.edges[from], model.edges[to]];
    panel.querySelector("[name=low]").value = short(low);
    panel.querySelector("[name=high]").value = short(high);
    const where = `Predictions ${from ? "above" : "from"} ${short(low)} up to ${short(high)}`;
    if (!count) {
      found.append(make("p", "", `${where}: no rows.`));
      return;
    }
    const weight = model.weight ? sum("weight") : count;
    const share = (100 * sum("positive")) / weight;
    const mean = (100 * sum("total")) / weight;
    found.append(make("p", "summary", `${where}: ${many(count, "row")}. Mean prediction ${mean.toFixed(1)} %; frequency of y = 1: ${share.toFixed(1)} %.`));
    const table = data.tables[model.table];
    const limit = Math.min(SHOWN, model.kept);
    const worst = model.surprising.slice(from, to).flat()
      .sort((a, b) => later(surprise(b), surprise(a)) || later(a[0], b[0])).slice(0, limit);
    const drawn = model.random.slice(from, to).flat()
      .sort((a, b) => later(a[3], b[3])).slice(0, limit);
    found.append(listOf("Most surprising", worst, count, table, model));
    if (worst.length < count) found.append(listOf("A random sample", drawn, count, table, model));
  };

  const clear = (index) => {
    const panel = document.querySelector(`.examples[data-model="${index}"]`);
    if (panel) panel.querySelector(".found").replaceChildren();
  };

  document.querySelectorAll("svg.curve[data-model]").forEach((svg) => {
    const index = Number(svg.dataset.model);
    const model = data.models[index];
    if (!model || !model.examples) return;
    const left = Number(svg.dataset.left);
    const side = Number(svg.dataset.side);
    const brush = svg.querySelector(".brush");
    const form = document.querySelector(`.examples[data-model="${index}"] form`);
    let start = null;

    const at = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return Math.min(1, Math.max(0, (point.x - left) / side));
    };
    const mark = (low, high) => {
      brush.removeAttribute("hidden");
      brush.setAttribute("x", left + side * low);
      brush.setAttribute("width", Math.max(side * (high - low), 1));
    };
    const select = (low, high) => {
      let from = nearest(model.edges, low);
      let to = nearest(model.edges, high);
      if (to <= from) { // within one cell: the cell of the middle
        const middle = (low + high) / 2;
        to = Math.max(1, model.edges.findIndex((edge) => edge >= middle));
        from = to - 1;
      }
      mark(model.edges[from], model.edges[to]);
      show(index, from, to);
    };
    const selectBin = (bin) => {
      const low = bin ? model.upper[bin - 1] : 0;
      const from = bin ? model.edges.indexOf(low) : 0;
      const to = model.edges.indexOf(model.upper[bin]);
      mark(low, model.upper[bin]);
      show(index, from, to);
    };

    svg.addEventListener("pointerdown", (event) => {
      if (event.button || event.target.closest(".dot")) return;
      start = at(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (start !== null) mark(Math.min(start, at(event)), Math.max(start, at(event)));
    });
    svg.addEventListener("pointerup", (event) => {
      if (start === null) return;
      const end = at(event);
      select(Math.min(start, end), Math.max(start, end));
      start = null;
    });
    svg.addEventListener("pointercancel", () => { start = null; });
    svg.querySelectorAll(".dot").forEach((dot) => {
      const bin = Number(dot.dataset.bin);
      dot.addEventListener("click", () => selectBin(bin));
      dot.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        selectBin(bin);
      });
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [low, high] = ["low", "high"].map((name) => Number(form.elements[name].value));
      select(Math.min(low, high), Math.max(low, high));
    });
    form.addEventListener("reset", () => {
      brush.setAttribute("hidden", "");
      clear(index);
    });
  });

  // ---- slices: the curve of one over that of all rows ---------------------------------------
  document.querySelectorAll(".slice").forEach((button) => {
    button.addEventListener("click", () => {
      const { model, slice } = button.dataset;
      const overlay = document.querySelector(`svg.curve[data-model="${model}"] .overlay`);
      const chosen = button.getAttribute("aria-pressed") !== "true";
      document.querySelectorAll(`.slice[data-model="${model}"]`)
        .forEach((each) => each.setAttribute("aria-pressed", "false"));
      button.setAttribute("aria-pressed", String(chosen));
      overlay.setAttribute("d", chosen ? data.models[model].slices[slice] : "");
      if (chosen) overlay.ownerSVGElement.scrollIntoView({ block: "nearest" });
    });
  });

  // ---- tables that can be sorted -----------------------------------------------------------
  const key = (row, column) => {
    const text = row.children[column].textContent.trim();
    const found = text.replace("−", "-").match(/-?\d+(\.\d+)?(e[-+]?\d+)?/i);
    const numeric = /^[\s[<≤≥>+\-−\d∞]/.test(text);
    if (text === "∞") return Infinity;
    return numeric && found ? Number(found[0]) : text;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return later(a, b);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b);
  };
  document.querySelectorAll("table.sortable").forEach((table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", "", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => (up ? 1 : -1) * compare(key(a, column), key(b, column)));
        table.tBodies[0].append(...rows);
      });
    });
  });
})();
