// Shows a document in a notebook: with anywidget (`render`), or from HTML (`showHere`). The package
// puts www/zeview-embed.js before this text, in one module.

/** Bytes of the file per message. */
const PIECE = 1 << 20;
/** Time until a request is repeated, in milliseconds: the answer may be lost with a connection. */
const PATIENCE = 15_000;

/** Shared by all cells: the page by its version, and the number of requests. */
const shared = (globalThis[Symbol.for("zeview")] ??= { pages: new Map(), requests: 0 });

/** The page: its `text`, which the first output that has it gives. */
function sharedPage(version) {
  if (!shared.pages.has(version)) {
    const page = { isKnown: false, isRequested: false };
    page.text = new Promise((resolve) => {
      page.give = (text) => {
        page.isKnown = true;
        resolve(text);
      };
    });
    shared.pages.set(version, page);
  }
  return shared.pages.get(version);
}

/** Returns its text, from the kernel unless another cell has it or waits for it. */
async function requestPage(kernel, version) {
  const page = sharedPage(version);
  while (!page.isKnown) {
    if (page.isRequested) {
      // The other cell may be removed.
      await Promise.race([page.text, after(1000)]);
      continue;
    }
    page.isRequested = true;
    try {
      const response = await kernel.ask({ page: true });
      page.give(await response.text());
    } finally {
      page.isRequested = false;
    }
  }
  return page.text;
}

function after(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function unpacked(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

/** Requests to the kernel. */
class Kernel {
  #model;
  #signal;
  #waiting = new Map();
  #hear = ({ id, error }, buffers) => this.#waiting.get(id)?.(error ? { error } : { buffer: buffers[0] });

  constructor(model, signal) {
    this.#model = model;
    this.#signal = signal;
    model.on("msg:custom", this.#hear);
    signal.addEventListener("abort", () => model.off("msg:custom", this.#hear));
  }

  /** Returns a response with the requested bytes. */
  async ask(request) {
    // Other windows may use the same kernel.
    const id = `${++shared.requests}-${Math.random()}`;
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    try {
      for (let patience = PATIENCE; ; patience *= 2) {
        this.#signal.throwIfAborted();
        this.#model.send({ ...request, id });
        const { error, buffer } = await Promise.race([answer, after(patience).then(() => ({}))]);
        if (error) throw new Error(error);
        if (buffer) return unpacked(buffer);
      }
    } finally {
      this.#waiting.delete(id);
    }
  }
}

/** The colors of the notebook: of JupyterLab and Notebook 7, VS Code, Colab. */
function themeOfHost() {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false" ? "dark" : "light";
  if (vscodeThemeKind) return /dark|contrast$/.test(vscodeThemeKind) ? "dark" : "light";
  return { dark: "dark", light: "light" }[document.documentElement.getAttribute("theme")] ?? "auto";
}

function watchTheme(follow) {
  const observer = new MutationObserver(follow);
  const attributeFilter = ["data-jp-theme-light", "data-vscode-theme-kind", "theme"];
  for (const element of [document.body, document.documentElement]) observer.observe(element, { attributeFilter });
  follow();
  return () => observer.disconnect();
}

/** Resolves when the element is scrolled near. */
function near(element, signal) {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && resolve(),
      { rootMargin: "300px" },
    );
    observer.observe(element);
    signal.addEventListener("abort", () => observer.disconnect());
  });
}

/**
 * Replaces the table in `element` by the page, once it is visible and `load` has returned the text
 * of the page and the file. `attributes` are those of the element `zeview-embed`.
 */
async function show(element, { name, attributes }, load, signal) {
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  await near(element, signal);
  try {
    const [html, file] = await load((text) => {
      status.textContent = text;
      if (!status.isConnected) element.prepend(status);
    });
    if (signal.aborted) return;
    const embed = Object.assign(document.createElement("zeview-embed"), { html, title: `zeview: ${name}` });
    const all = { loading: "eager", sandbox: "allow-scripts allow-popups allow-downloads", ...attributes };
    for (const [key, value] of Object.entries(all)) embed.setAttribute(key, value);
    if (attributes.theme === "auto") {
      const stop = watchTheme(() => embed.setAttribute("theme", themeOfHost()));
      signal.addEventListener("abort", stop);
    }
    let link;
    embed.addEventListener("zeview-selected", ({ detail }) => (link = detail.link));
    // Frames load again when a notebook moves their cell.
    embed.addEventListener("zeview-ready", ({ detail }) => {
      if (detail.id === undefined) embed.open(file, { name, link });
    });
    element.replaceChildren(embed);
  } catch (error) {
    status.textContent = `The page cannot be shown: ${error.message}`;
    element.prepend(status);
  }
}

/** For anywidget. */
function render({ model, el }) {
  const options = model.get("_options");
  const controller = new AbortController();
  const kernel = new Kernel(model, controller.signal);
  const { id, version, name, size } = options;
  const style = document.createElement("style");
  // The table that is saved with the notebook.
  const saved = `[data-zeview="${CSS.escape(id)}"]`;
  style.textContent = `${saved} { display: none; } .jp-OutputArea-child:has(${saved}) { display: none; }`;
  const content = document.createElement("div");
  content.className = "zeview";
  content.innerHTML = model.get("_excerpt");
  el.append(style, content);

  const load = async (tell) => {
    const late = setTimeout(tell, 1500, "Waiting for the kernel …");
    const html = await requestPage(kernel, version);
    const pieces = [];
    for (let start = 0; start < size; start += PIECE) {
      const end = Math.min(start + PIECE, size);
      const response = await kernel.ask({ start, end });
      pieces.push(await response.blob());
      clearTimeout(late);
      if (size > PIECE) tell(`Loading ${name}: ${Math.round((100 * end) / size)} %`);
    }
    clearTimeout(late);
    return [html, new Blob(pieces)];
  };
  show(content, options, load, controller.signal);
  return () => controller.abort();
}

/** For HTML: shows the file in all elements with its id. Without `html`, another cell has the page. */
function showHere({ html, file, ...options }) {
  const page = sharedPage(options.version);
  if (html) page.give(html);
  const load = async (tell) => {
    const late = setTimeout(tell, 1500, "The page is in the output of another cell. Run this cell again to show it here.");
    const text = await page.text;
    clearTimeout(late);
    const packed = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
    return [text, await unpacked(packed).blob()];
  };
  const elements = document.querySelectorAll(`[data-zeview="${CSS.escape(options.id)}"]:not([data-shown])`);
  for (const element of elements) {
    element.dataset.shown = "";
    show(element, options, load, new AbortController().signal);
  }
}

export default { render };
