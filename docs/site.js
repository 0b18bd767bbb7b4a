// Tables and code that scroll sideways can be reached with the keyboard.
for (const scroller of document.querySelectorAll(".table-wrapper, .content pre > code")) scroller.tabIndex = 0;

// mdBook's bar is a landmark. Its switch of the sidebar is a label, which the keyboard does not reach: a button stands for it.
document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");
(() => {
  const label = document.getElementById("mdbook-sidebar-toggle");
  if (!label) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = label.className;
  button.append(...label.childNodes);
  const update = () => {
    for (const name of ["title", "aria-label", "aria-controls", "aria-expanded"]) button.setAttribute(name, label.getAttribute(name) ?? "");
  };
  update();
  new MutationObserver(update).observe(label, { attributes: true });
  button.addEventListener("click", () => label.click());
  label.before(button);
  label.hidden = true;
  label.style.display = "none";
})();

// Gives the embeds the colors of mdBook's theme, also after the reader chooses another one.
(() => {
  const root = document.documentElement;
  const DARK = ["coal", "navy", "ayu"];
  const isDark = () => DARK.some((theme) => root.classList.contains(theme));

  function update() {
    const theme = isDark() ? "dark" : "light";
    for (const embed of document.querySelectorAll("zeview-embed")) {
      if (embed.getAttribute("theme") !== theme) embed.setAttribute("theme", theme);
    }
  }

  update();
  new MutationObserver(update).observe(root, { attributes: true, attributeFilter: ["class"] });
})();

// Examples name the address of a release. Here it is the one beside this documentation, whose examples can be copied as they are.
(() => {
  const EXAMPLE = "https://example.org/zeview/";
  if (!/^https?:$/.test(location.protocol)) return;
  const site = new URL(typeof path_to_root === "string" ? path_to_root || "./" : "./", location.href);
  const release = new URL("../", site).href;
  for (const code of document.querySelectorAll("main code")) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (text.data.includes(EXAMPLE)) text.data = text.data.replaceAll(EXAMPLE, release);
    }
  }
})();
