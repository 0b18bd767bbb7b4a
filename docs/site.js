// Tables and code that scroll sideways can be reached with the keyboard.
for (const scroller of document.querySelectorAll(".table-wrapper, .content pre")) scroller.tabIndex = 0;

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
