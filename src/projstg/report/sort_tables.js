// Tables sort by the column whose heading is pressed: up first, then down. A heading holds a
// button, so that the keyboard reaches it. Cells without a number go last either way.
"use strict";
const number = (text) => Number(text.replace("−", "-"));
function keyOf(row, index) {
  const cell = row.cells[index];
  const text = cell.dataset.key ?? cell.textContent.trim();
  return text === "–" ? "" : text;
}
function compare(a, b, isNumeric) {
  return isNumeric ? number(a) - number(b) : a.localeCompare(b, undefined, { numeric: true });
}
function sortBy(heading) {
  const table = heading.closest("table");
  const body = table.tBodies[0];
  const index = heading.cellIndex;
  const isDown = heading.getAttribute("aria-sort") === "ascending";
  const keyed = Array.from(body.rows, (row) => [keyOf(row, index), row]);
  const present = keyed.filter(([key]) => key !== "");
  const absent = keyed.filter(([key]) => key === "");
  const isNumeric = present.every(([key]) => !Number.isNaN(number(key)));
  present.sort(([a], [b]) => (isDown ? compare(b, a, isNumeric) : compare(a, b, isNumeric)));
  body.append(...[...present, ...absent].map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", isDown ? "descending" : "ascending");
}
for (const heading of document.querySelectorAll("table.sorts thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  button.addEventListener("click", () => sortBy(heading));
  heading.append(button);
}
