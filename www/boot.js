// Starts zeview: sets the theme before the first paint, accepts files at once, loads the app, and
// shows a readable message if that fails.
//
// A classic script, because a module would run after the first paint. All URLs are relative to this
// script: a release puts it and the files it loads into a folder of their own.
(() => {
  "use strict";

  // The single-file page embeds the other files: their URLs by name (xtask/src/single.rs).
  const inside = globalThis.zeviewFiles ?? {};
  const script = document.currentScript.src || document.baseURI;
  // Frames with `srcdoc` have the query in an attribute.
  const parameters = new URLSearchParams(location.search || document.documentElement.dataset.query);
  // In a frame, or in the document of a program (src/ui/session/page/embedder.rs).
  const isEmbedded = parameters.has("embed") || Boolean(globalThis.zeviewHost);
  const parsed = new Promise((resolve) => {
    if (document.readyState !== "loading") resolve();
    document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });

  // "light", "dark", or unset for the system's theme.
  function applyRememberedTheme() {
    // Set by an embedding page.
    let theme = parameters.get("theme");
    try {
      theme ??= localStorage.getItem("zeview.theme");
    } catch {
      // Sandboxed frames have no storage.
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

  // User actions before the app is ready; they are replayed once it listens.
  const pending = [];
  const listeners = new AbortController();

  function defer(words, action) {
    // The app listens already.
    if (listeners.signal.aborted) return action();
    pending.push(action);
    const says = document.getElementById("starting-says");
    if (says) says.textContent = words;
  }

  function deferFiles(files) {
    const data = new DataTransfer();
    for (const file of files) data.items.add(file);
    if (data.files.length === 0) return;
    const names = Array.from(data.files, (file) => file.name);
    defer(`Opening ${names.join(", ")} …`, () => {
      document.body.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    });
  }

  function deferClick(words, selector) {
    defer(words, () => document.querySelector(selector)?.click());
  }

  function choose() {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.addEventListener("change", () => deferFiles(input.files ?? []));
    input.click();
  }

  function acceptFiles() {
    const options = { signal: listeners.signal };
    const on = (name, handle) => document.addEventListener(name, handle, options);
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => {
      event.preventDefault();
      deferFiles(event.dataTransfer?.files ?? []);
    });
    on("click", (event) => {
      const button = event.target.closest?.("#starting button");
      const { wish: wanted } = button?.dataset ?? {};
      if (wanted === "choose") choose();
      else if (wanted) deferClick("One moment …", `[data-wish="${CSS.escape(wanted)}"]`);
      const sample = button?.dataset.sample;
      if (sample) deferClick(`Opening ${button.querySelector("b").textContent} …`, `[data-sample="${CSS.escape(sample)}"]`);
    });
    on("paste", (event) => {
      const { files } = event.clipboardData ?? {};
      const text = event.clipboardData?.getData("text/plain");
      if (files?.length) return deferFiles(files);
      if (!text) return;
      const data = new DataTransfer();
      data.setData("text/plain", text);
      defer("Opening the pasted data …", () => {
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
      });
    });
  }

  // The app has rendered the page and listens.
  function handOver() {
    listeners.abort();
    for (const action of pending) action();
  }

  // Files opened with the installed app.
  function openLaunched() {
    globalThis.launchQueue?.setConsumer(async ({ files }) => {
      deferFiles(await Promise.all(files.map((handle) => handle.getFile())));
    });
  }

  // Caches the release for offline use, except in embedded pages.
  async function keepForOffline() {
    const address = script.match(/^(.*\/)[0-9a-f]{12}\/boot\.js$/);
    if (!address || isEmbedded || !("serviceWorker" in navigator)) return;
    // With Trusted Types, script URLs must come from a policy.
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
      // Refused in private windows and sandboxed frames. The page still works online.
      console.info("zeview is not available offline.", error);
    }
  }

  // The user decides when to reload, because open files would be lost.
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

  // Links to a file and embedded pages need no drop zone.
  function hideUnused() {
    if (!parameters.has("url") && !isEmbedded) return;
    const page = document.getElementById("starting");
    page?.querySelector("main")?.remove();
    if (isEmbedded) page?.querySelector("header")?.remove();
  }

  // A panic aborts the program and leaves the page unresponsive.
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

  // In a sandboxed frame this script is cross-origin, so a relative import would fail.
  function load(name) {
    return import(addressOf(name));
  }

  // Downloads the program in parallel with the script that runs it; not without WebAssembly, where
  // the download would never be consumed.
  function fetchProgram() {
    if (typeof WebAssembly === "undefined") throw new ReferenceError("WebAssembly is not defined");
    const program = fetch(addressOf("./app_bg.wasm"));
    program.catch(() => {}); // Reported by the code that awaits it.
    return program;
  }

  async function fetchDecoder() {
    const decoder = await load("./decoder.js");
    decoder.prepare().catch(() => {}); // Reported when a decoder is started.
    return decoder;
  }

  // Read by the app; not available in embedded and single-file pages.
  async function fetchRecent() {
    if (isEmbedded || inside["./app.js"]) return;
    try {
      globalThis.zeviewRecent = await load("./recent.js");
    } catch (error) {
      console.info("Recent files are not stored.", error);
    }
  }

  async function start() {
    try {
      const program = fetchProgram();
      const [app, decoder] = await Promise.all([load("./app.js"), fetchDecoder(), fetchRecent()]);
      // Read by the app.
      globalThis.zeviewDecoder = decoder;
      await parsed;
      await app.default({ module_or_path: program });
      document.getElementById("starting")?.remove();
      // The app's first effects, which add its listeners, run before the next task.
      setTimeout(handOver);
      setTimeout(openLaunched);
      // After the decoder, not to compete for bandwidth.
      decoder.prepare().then(keepForOffline, () => {});
    } catch (error) {
      await parsed;
      showFailure("zeview could not start", error);
    }
  }

  applyRememberedTheme();
  if (typeof WebAssembly !== "undefined") watchForPanics();
  acceptFiles();
  parsed.then(hideUnused);
  start();
})();
