// Starts zeview: the theme before the first paint, then the app, and a readable
// message in the page when that fails.
//
// A classic script, because a module would run after the first paint. All
// addresses are relative to this script: a release puts it and the files it
// loads into a folder of their own.
(() => {
  "use strict";

  const script = document.currentScript.src;
  const parsed = new Promise((resolve) => {
    document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });

  // "light", "dark", or nothing: then the system decides.
  function applyRememberedTheme() {
    let theme = null;
    try {
      theme = localStorage.getItem("zeview.theme");
    } catch {
      // Storage is refused in sandboxed frames.
    }
    if (theme === "light" || theme === "dark") {
      document.documentElement.dataset.theme = theme;
    }
  }

  function explain(error) {
    if (typeof WebAssembly === "undefined") {
      return "This browser has no WebAssembly, or it is switched off.";
    }
    if (location.protocol === "file:") {
      return "Browsers load programs only from a web server. Any static server on this folder will do.";
    }
    if (error instanceof WebAssembly.RuntimeError) {
      return "This is a fault in zeview. Reloading the page starts it anew.";
    }
    if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) {
      return "The program does not fit this browser, or its files come from two versions. Reload the page; if that does not help, update the browser.";
    }
    return "A part of the page could not be loaded. Check the connection and reload the page.";
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  let failed = false;
  function showFailure(title, error) {
    if (failed) return;
    failed = true;
    console.error(error);
    document.getElementById("starting")?.remove();
    const message = element("div", "");
    message.setAttribute("role", "alert");
    message.append(element("h1", title), element("p", explain(error)), element("pre", String(error)));
    const main = element("main", "");
    main.className = "failure";
    main.append(message);
    document.body.prepend(main);
  }

  // A panic aborts the program: nothing in the page answers after it.
  function watchForPanics() {
    const check = (error) => {
      if (error instanceof WebAssembly.RuntimeError) showFailure("zeview has stopped", error);
    };
    addEventListener("error", (event) => check(event.error));
    addEventListener("unhandledrejection", (event) => check(event.reason));
  }

  async function start() {
    try {
      const app = await import("./app.js");
      await parsed;
      await app.default({ module_or_path: new URL("./app_bg.wasm", script) });
      document.getElementById("starting")?.remove();
    } catch (error) {
      await parsed;
      showFailure("zeview could not start", error);
    }
  }

  applyRememberedTheme();
  if (typeof WebAssembly !== "undefined") watchForPanics();
  start();
})();
