// What the element tells, and what it is told.
const embed = document.getElementById("spill");

embed.addEventListener("zeview-selected", ({ detail: { start, end } }) => {
  if (start === undefined) return;
  document.getElementById("said").textContent = `Selected: bytes ${start} to ${end}.`;
});

for (const button of document.querySelectorAll("[data-select]")) {
  button.addEventListener("click", () => embed.select(button.dataset.select));
}
