// Starts zeview: the theme before the first paint, a page that takes files in at
// once, then the app, and a readable message in the page when that fails.
//
// A classic script, because a module would run after the first paint. All
// addresses are relative to this script: a release puts it and the files it
// loads into a folder of their own.
(() => {
  "use strict";

  // A page in one file has the others in itself: their addresses, by name (xtask/src/single.rs).
  const inside = globalThis.zeviewFiles ?? {};
  const script = document.currentScript.src || document.baseURI;
  const asked = new URLSearchParams(location.search);
  const parsed = new Promise((resolve) => {
    if (document.readyState !== "loading") resolve();
    document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });

  // "light", "dark", or nothing: then the system decides.
  function applyRememberedTheme() {
    // A page that embeds this one may choose.
    let theme = asked.get("theme");
    try {
      theme ??= localStorage.getItem("zeview.theme");
    } catch {
      // Storage is refused in sandboxed frames.
    }
    if (theme === "light" || theme === "dark") {
      document.documentElement.dataset.theme = theme;
    }
  }

  function explain(error) {
    if (typeof WebAssembly === "undefined") {
      return "This browser has no WebAssembly, or it is disabled.";
    }
    if (location.protocol === "file:" && !inside["./app.js"]) {
      return "Browsers load WebAssembly only from a web server. Any static file server will do.";
    }
    if (error instanceof WebAssembly.RuntimeError) {
      return "This is a bug in zeview. Reload the page to restart it.";
    }
    if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) {
      return "This browser cannot run the program, or its files are from different releases. Reload the page. If that does not help, update the browser.";
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

  // What the user wants before the app is there: each is done over again for the app
  // when it listens.
  const wishes = [];
  const listeners = new AbortController();

  function wish(words, fulfill) {
    // The app listens.
    if (listeners.signal.aborted) return fulfill();
    wishes.push(fulfill);
    const says = document.getElementById("starting-says");
    if (says) says.textContent = words;
  }

  function wishFiles(files) {
    const data = new DataTransfer();
    for (const file of files) data.items.add(file);
    if (data.files.length === 0) return;
    const names = Array.from(data.files, (file) => file.name);
    wish(`Opening ${names.join(", ")} …`, () => {
      document.body.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    });
  }

  function wishClick(words, selector) {
    wish(words, () => document.querySelector(selector)?.click());
  }

  function choose() {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.addEventListener("change", () => wishFiles(input.files ?? []));
    input.click();
  }

  function takeIn() {
    const options = { signal: listeners.signal };
    const on = (name, handle) => document.addEventListener(name, handle, options);
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => {
      event.preventDefault();
      wishFiles(event.dataTransfer?.files ?? []);
    });
    on("click", (event) => {
      const button = event.target.closest?.("#starting button");
      const { wish: wanted } = button?.dataset ?? {};
      if (wanted === "choose") choose();
      else if (wanted) wishClick("One moment …", `[data-wish="${CSS.escape(wanted)}"]`);
      const sample = button?.dataset.sample;
      if (sample) wishClick(`Opening ${button.querySelector("b").textContent} …`, `[data-sample="${CSS.escape(sample)}"]`);
    });
    on("paste", (event) => {
      const { files } = event.clipboardData ?? {};
      const text = event.clipboardData?.getData("text/plain");
      if (files?.length) return wishFiles(files);
      if (!text) return;
      const data = new DataTransfer();
      data.setData("text/plain", text);
      wish("Opening the pasted data …", () => {
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
      });
    });
  }

  // The app has drawn the page anew and listens itself.
  function handOver() {
    listeners.abort();
    for (const fulfill of wishes) fulfill();
  }

  // A file that was opened with the installed page.
  function takeLaunched() {
    globalThis.launchQueue?.setConsumer(async ({ files }) => {
      wishFiles(await Promise.all(files.map((handle) => handle.getFile())));
    });
  }

  // A release keeps its files for visits without a network; pages in other pages do not.
  async function keepForOffline() {
    const address = script.match(/^(.*\/)[0-9a-f]{12}\/boot\.js$/);
    if (!address || asked.has("embed") || !("serviceWorker" in navigator)) return;
    // Where the browser has Trusted Types, text alone is no address of a script.
    const policy = globalThis.trustedTypes?.createPolicy("zeview", { createScriptURL: (text) => text });
    const worker = `${address[1]}service_worker.js`;
    try {
      const registration = await navigator.serviceWorker.register(policy?.createScriptURL(worker) ?? worker);
      const look = () => {
        if (registration.waiting && navigator.serviceWorker.controller) offer(registration);
      };
      look();
      registration.addEventListener("updatefound", () => {
        registration.installing?.addEventListener("statechange", look);
      });
    } catch (error) {
      // Private windows and sandboxed frames refuse it. The page works, with a network.
      console.info("zeview is not kept for use without a network.", error);
    }
  }

  // The reader says when: files that are open would be lost.
  function offer(registration) {
    if (document.querySelector(".update")) return;
    const bar = element("div", "");
    bar.className = "update";
    bar.setAttribute("role", "status");
    const take = element("button", "Reload");
    const later = element("button", "Later");
    take.type = later.type = "button";
    take.addEventListener("click", () => {
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
      registration.waiting?.postMessage("take");
    });
    later.addEventListener("click", () => bar.remove());
    bar.append(element("span", "A new version of zeview is ready."), take, later);
    document.body.append(bar);
  }

  // A link to a file, or a frame in somebody's documentation: there is nothing to drop.
  function hideWhatIsNotAsked() {
    if (!asked.has("url") && !asked.has("embed")) return;
    const page = document.getElementById("starting");
    page?.querySelector("main")?.remove();
    if (asked.has("embed")) page?.querySelector("header")?.remove();
  }

  // A panic aborts the program: nothing in the page answers after it.
  function watchForPanics() {
    const check = (error) => {
      if (error instanceof WebAssembly.RuntimeError) showFailure("zeview has crashed", error);
    };
    addEventListener("error", (event) => check(event.error));
    addEventListener("unhandledrejection", (event) => check(event.reason));
  }

  function addressOf(name) {
    return inside[name] ?? new URL(name, script).href;
  }

  // In a sandboxed frame this script is of another origin, and has no address of its own to
  // import from.
  function load(name) {
    return import(addressOf(name));
  }

  // Asked for at once, beside the script that runs it; not where nothing could run it, or
  // the transfer would never end.
  function fetchProgram() {
    if (typeof WebAssembly === "undefined") throw new ReferenceError("WebAssembly is not defined");
    const program = fetch(addressOf("./app_bg.wasm"));
    program.catch(() => {}); // Whoever awaits it hears of it.
    return program;
  }

  async function fetchDecoder() {
    const decoder = await load("./decoder.js");
    decoder.prepare().catch(() => {}); // Whoever starts a decoder hears of it.
    return decoder;
  }

  // Where the app looks for it; not in other pages, nor in the page in one file.
  async function fetchRecent() {
    if (asked.has("embed") || inside["./app.js"]) return;
    try {
      globalThis.zeviewRecent = await load("./recent.js");
    } catch (error) {
      console.info("Recent files are not kept.", error);
    }
  }

  async function start() {
    try {
      const program = fetchProgram();
      const [app, decoder] = await Promise.all([load("./app.js"), fetchDecoder(), fetchRecent()]);
      // Where the app looks for it.
      globalThis.zeviewDecoder = decoder;
      await parsed;
      await app.default({ module_or_path: program });
      document.getElementById("starting")?.remove();
      // The app's first effects, which make it listen, run before the next task.
      setTimeout(handOver);
      setTimeout(takeLaunched);
      // Not beside the decoder, which comes over the same line.
      decoder.prepare().then(keepForOffline, () => {});
    } catch (error) {
      await parsed;
      showFailure("zeview could not start", error);
    }
  }

  applyRememberedTheme();
  if (typeof WebAssembly !== "undefined") watchForPanics();
  takeIn();
  parsed.then(hideWhatIsNotAsked);
  start();
})();
