"use strict";
(async () => {
  const root = document.documentElement, asked = new URLSearchParams(location.search).get("theme");
  if (asked === "dark" || asked === "light") root.dataset.theme = asked;
  document.getElementById("theme").addEventListener("click", () => {
    const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
  const unpacked = id => {
    const text = atob(document.getElementById(id).textContent), bytes = new Uint8Array(text.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const specs = JSON.parse(await unpacked("specs")), views = new Map();
  document.head.append(Object.assign(document.createElement("script"), { textContent: await unpacked("vega") }));
  const options = { actions: false, renderer: "svg", ast: true, config: specs.config };
  let picked = "";
  const draw = async place => {
    if (views.has(place)) return;
    views.set(place, null);
    const spec = { ...specs.panels[place.dataset.panel], width: "container", description: place.getAttribute("aria-label") };
    const { view } = await vegaEmbed(place, spec, options);
    views.set(place, view);
    place.classList.add("drawn");
    if (picked) await view.signal("picked", picked).runAsync();
    root.dataset.first ??= Math.round(performance.now());
  };
  // One contender at a time stands out in every chart.
  const chips = [...document.querySelectorAll("#legend button")];
  for (const chip of chips) chip.addEventListener("click", () => {
    picked = picked === chip.dataset.pick ? "" : chip.dataset.pick;
    for (const other of chips) other.setAttribute("aria-pressed", other.dataset.pick === picked);
    for (const view of views.values()) view?.signal("picked", picked).runAsync();
  });
  // With the keyboard a chart is entered by Tab and its marks are stepped through by the arrows.
  const marks = view => {
    const found = [], order = [];
    const walk = group => {
      for (const item of group.items ?? []) {
        if (item.tooltip && item._svg && (group.marktype === "symbol" || group.marktype === "rect")) found.push(item);
        walk(item);
      }
    };
    walk(view.scenegraph().root);
    for (const item of found) if (!order.includes(item.datum.contender)) order.push(item.datum.contender);
    const place = item => order.indexOf(item.datum.contender);
    return found.sort((a, b) => place(a) - place(b) || a.bounds.x1 - b.bounds.x1);
  };
  let at = null;
  const leave = () => {
    at?.classList.remove("here");
    at?.dispatchEvent(new PointerEvent("pointerout", { bubbles: true }));
    at = null;
  };
  for (const place of document.querySelectorAll("[data-panel]")) {
    place.addEventListener("blur", leave);
    place.addEventListener("keydown", event => {
      const view = views.get(place), step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: "first", End: "last" }[event.key];
      if (event.key === "Escape") leave();
      if (!view || step === undefined) return;
      event.preventDefault();
      const all = marks(view), now = all.findIndex(item => item._svg === at);
      const next = all.at(step === "first" ? 0 : step === "last" ? -1 : now < 0 ? (step > 0 ? 0 : -1) : (now + step) % all.length);
      leave();
      if (!next) return;
      at = next._svg;
      at.classList.add("here");
      const box = at.getBoundingClientRect();
      at.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }));
      document.getElementById("said").textContent = Object.entries(next.tooltip).map(([name, value]) => `${name}: ${value}`).join(", ");
    });
  }
  // A chart by itself, in the colours of the theme, and the rows that it is drawn from.
  const picture = async view => (await view.toSVG()).replace(/var\((--\w+)\)/g, (_, name) => getComputedStyle(root).getPropertyValue(name).trim());
  const rowsOf = node => Array.isArray(node) ? node.flatMap(rowsOf) : !node || typeof node !== "object" ? []
    : [...(Array.isArray(node.values) ? [node.values] : []), ...Object.values(node).flatMap(rowsOf)];
  const commaSeparated = spec => {
    const rows = rowsOf(spec).reduce((most, some) => Object.keys(some[0] ?? {}).length > Object.keys(most[0] ?? {}).length ? some : most, []);
    const names = Object.keys(rows[0] ?? {}), field = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    return [names, ...rows.map(row => names.map(name => row[name]))].map(line => line.map(value => field(String(value ?? ""))).join(",") + "\n").join("");
  };
  for (const button of document.querySelectorAll("[data-get]")) button.addEventListener("click", async () => {
    const place = button.closest(".chart").querySelector("[data-panel]"), isPicture = button.dataset.get === "svg";
    await draw(place);
    const text = isPicture ? await picture(views.get(place)) : commaSeparated(specs.panels[place.dataset.panel]);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: isPicture ? "image/svg+xml" : "text/csv" }));
    link.download = `${place.closest(".chart").id}.${button.dataset.get}`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  const paint = code => {
    const text = code.textContent;
    let end = 0;
    code.replaceChildren();
    for (const match of text.matchAll(new RegExp(specs.swift, "gs"))) {
      const mark = document.createElement("i");
      mark.className = Object.keys(match.groups).find(name => match.groups[name] !== undefined);
      mark.textContent = match[0];
      code.append(text.slice(end, match.index), mark);
      end = match.index + match[0].length;
    }
    code.append(text.slice(end));
    code.dataset.painted = "";
  };
  const announce = () => {
    for (const box of document.querySelectorAll(".scroll")) {
      const table = box.firstElementChild, isCut = () => box.scrollWidth > box.clientWidth + 1;
      table.classList.remove("stacked");
      if (isCut() && innerWidth <= 480) {  // a phone shows each row as a block
        const heads = [...table.querySelectorAll("thead th")].map(head => head.textContent);
        for (const cell of table.querySelectorAll("td")) cell.dataset.head = heads[cell.cellIndex];
        table.classList.add("stacked");
      }
      box.toggleAttribute("data-more", isCut());
    }
  };
  announce();
  for (const code of document.querySelectorAll("details[open] pre code")) paint(code);
  addEventListener("resize", announce);
  for (const fold of document.querySelectorAll("details")) fold.addEventListener("toggle", async () => {
    announce();
    for (const code of fold.open ? fold.querySelectorAll("pre code:not([data-painted])") : []) paint(code);
    for (const place of fold.open ? fold.querySelectorAll("[data-panel]") : []) await draw(place);
  });
  (async () => {
    for (const place of document.querySelectorAll("[data-panel]"))
      if (!place.closest("details:not([open])")) {
        await draw(place);
        await new Promise(resolve => setTimeout(resolve));  // between two charts the page answers
      }
    root.dataset.drawn = "yes";
  })();
})();
