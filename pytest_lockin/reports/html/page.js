"use strict";
// Makes a folded part when it is opened, and on the way to a link into one. Everything works without, only slower.

function fill(details) {
  const waiting = details.querySelector(":scope > noscript");
  if (!waiting) return;
  const content = document.createElement("div");
  content.innerHTML = waiting.textContent; // the page's own markup: a script in it would not run anyway
  waiting.replaceWith(content);
}

function find(id) {
  const there = document.getElementById(id);
  if (there) return there;
  for (const details of document.querySelectorAll("details[data-lazy]")) {
    const waiting = details.querySelector(":scope > noscript");
    if (waiting && waiting.textContent.includes(` id="${id}"`)) {
      fill(details);
      return document.getElementById(id);
    }
  }
  return null;
}

function show(target) {
  if (!target.checkVisibility()) choose("all");
  for (let at = target; at; at = at.parentElement) {
    if (at.localName === "details") {
      fill(at);
      at.open = true;
    }
  }
  target.scrollIntoView({ block: "start" });
  target.querySelector("summary, a")?.focus({ preventScroll: true });
}

function choose(value) {
  const option = document.getElementById(`:show-${value}`);
  if (option && !option.checked) option.click();
}

function follow() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id && find(id);
  if (target) show(target);
}

document.addEventListener("toggle", (event) => { if (event.target.open) fill(event.target); }, true);
document.addEventListener("change", (event) => {
  if (event.target.name !== "verdict") return;
  const rows = [...document.querySelectorAll("table.overview tbody tr")];
  const shown = rows.filter((row) => row.checkVisibility()).length;
  document.getElementById(":shown").textContent = `${shown} of ${rows.length} suites shown`;
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) follow(); // nothing changes, and it may have been folded since
});
addEventListener("hashchange", follow);
document.querySelectorAll("details[data-lazy][open]").forEach(fill);
follow();
