"use strict";
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  name();

  const copied = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* not allowed here: the old way */ }
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  };
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const label = button.textContent;
      button.textContent = (await copied(document.getElementById(button.dataset.copy).textContent)) ? "Copied" : "Select it by hand";
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);
  const hide = () => { tip.hidden = true; };
  for (const point of document.querySelectorAll("svg .point")) {
    point.querySelector("title").remove();  // said at once, instead of after a second
    const tell = () => {
      const box = point.getBoundingClientRect(), room = root.clientWidth;
      tip.textContent = point.getAttribute("aria-label");
      tip.hidden = false;
      const left = Math.min(Math.max(12, box.left + box.width / 2 - tip.offsetWidth / 2), room - tip.offsetWidth - 12);
      const above = box.top - tip.offsetHeight - 8;
      tip.style.left = `${left + scrollX}px`;
      tip.style.top = `${(above > 0 ? above : box.bottom + 8) + scrollY}px`;
    };
    for (const event of ["pointerenter", "focus"]) point.addEventListener(event, tell);
    for (const event of ["pointerleave", "blur"]) point.addEventListener(event, hide);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  const source = document.getElementById("panel-data");
  if (!source) return;
  const panel = JSON.parse(source.textContent);
  const slider = (id) => document.getElementById(id);
  const percent = (x) => (x === null ? "unknown" : (Math.floor(x * 1000) / 10).toFixed(1) + "%");
  const least = (row, wanted) => {
    let best = null;
    panel.accountants.forEach((one, place) => {
      const known = row[place] !== null && one.valid && wanted(one);
      if (known && (best === null || row[place] < row[best])) best = place;
    });
    return best;
  };
  const show = () => {
    const [i, j, k] = ["noise", "queries", "delta"].map((id) => Number(slider(id).value));
    const [noise, queries, delta] = [panel.noises[i], panel.queries[j], panel.deltas[k]];
    const row = panel.epsilon[i][j][k], told = panel.shown[i][j][k];
    slider("noise-out").textContent = `${panel.parameter} = ${noise}`;
    slider("queries-out").textContent = String(queries);
    slider("delta-out").textContent = panel.given[k];
    const own = least(row, () => true), open = least(row, (one) => one.holds_for === "every data set");
    slider("own").textContent = own === null ? "unknown" : told[own];
    slider("open").textContent = open === null ? "unknown" : told[open];
    slider("agreement").textContent = percent(panel.agreement[i][j]);
    const answered = panel.answered[i][j];
    slider("answered").textContent = answered !== null && answered < 0.9995 ? `${percent(answered)} of the queries answered` : "";
    const largest = Math.max(...row.filter((x) => x !== null));
    panel.accountants.forEach((one, place) => {
      slider(`epsilon-${place}`).textContent = told[place];
      slider(`bar-${place}`).style.width = row[place] === null ? "0" : `${Math.max(1, (100 * Math.log1p(row[place])) / Math.log1p(largest))}%`;
    });
    const own_words = panel.command.filter((word) => !panel.replaced.includes(word.split("=")[0].replace(/^\++/, "")));
    const words = [`aggregator.${panel.parameter}=${noise}`, `labels.queries=${queries}`, `delta=${delta}`];
    slider("command").textContent = ["pate", ...own_words, ...words].map(quoted).join(" ");
  };
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`);
  for (const id of ["noise", "queries", "delta"]) slider(id).addEventListener("input", show);
  show();
})();
