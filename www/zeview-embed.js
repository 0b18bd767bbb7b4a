// <zeview-embed src="vecadd.zebin" panel="kernels" select="k=vecadd"> shows a file in a frame with
// the zeview page beside this script. docs/src/reference/embedding.md documents the attributes and
// messages. Without scripts the element shows its content, usually a link.
(() => {
  "use strict";

  const VERSION = 1;
  const HEIGHT = "480px";
  const HEIGHT_MAX = 1200;
  // Relative to this script.
  const PAGE = new URL("./", document.currentScript?.src ?? location.href).href;

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { display: block; min-height: 120px; resize: vertical; overflow: hidden; }
    :host([hidden]) { display: none; }
    iframe { display: block; width: 100%; height: 100%; border: 0; }
    .placeholder {
      box-sizing: border-box; height: 100%; display: grid; place-content: center;
      justify-items: center; gap: 12px; padding: 16px; text-align: center;
      border: 1px solid color-mix(in srgb, currentColor 30%, transparent); border-radius: 6px;
    }
    button { font: inherit; padding: 6px 14px; cursor: pointer; }
  `);

  function made(name, properties) {
    return Object.assign(document.createElement(name), properties);
  }

  class ZeviewEmbed extends HTMLElement {
    static observedAttributes = ["src", "panel", "panes", "select", "theme", "height"];

    /** The text of zeview.html, which is shown in place of the page at an address. */
    html = "";

    #frame = null;
    #ready = false;
    #queue = [];
    #watch = null;
    #hear = (event) => this.#take(event);

    constructor() {
      super();
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
    }

    connectedCallback() {
      addEventListener("message", this.#hear);
      this.#size();
      this.#wait();
    }

    disconnectedCallback() {
      removeEventListener("message", this.#hear);
      this.#watch?.disconnect();
      this.#frame = null;
      this.#ready = false;
      this.shadowRoot.replaceChildren();
    }

    attributeChangedCallback(name, before, now) {
      if (before === now) return;
      if (name === "height") return this.#size();
      if (!this.#frame) return;
      const value = now ?? "";
      if (name === "src" && value) this.open(new URL(value, document.baseURI).href);
      if (name === "select") this.#send({ type: "select", link: this.#link() });
      if (name === "panel") this.#send({ type: "panel", panel: value });
      if (name === "panes" && now !== null) this.#send({ type: "panes", panes: value || "none" });
      if (name === "theme") this.#send({ type: "theme", theme: value || "auto" });
    }

    /** Opens a URL, or bytes: a Blob, an ArrayBuffer or a typed array. */
    open(file, { name = "", link = this.#link() } = {}) {
      this.show();
      const what = typeof file === "string" ? { url: file } : { bytes: file };
      this.#send({ type: "open", ...what, name, link });
    }

    /** Selects the target of a link's fragment: "k=vecadd&f=spill_size". */
    select(link) {
      this.show();
      this.#send({ type: "select", link });
    }

    /** Replaces the placeholder by the frame. */
    show() {
      if (this.#frame) return;
      this.#watch?.disconnect();
      const address = new URL(this.getAttribute("page") ?? PAGE, document.baseURI);
      address.searchParams.set("embed", "1");
      const src = this.getAttribute("src");
      if (src) address.searchParams.set("url", new URL(src, document.baseURI).href);
      const theme = this.getAttribute("theme");
      if (theme) address.searchParams.set("theme", theme);
      const panes = this.getAttribute("panes");
      if (panes !== null) address.searchParams.set("panes", panes || "none");
      address.hash = this.#link();
      const title = this.title || `zeview: ${src ?? "Intel GPU binary"}`;
      this.#frame = made("iframe", { title });
      const sandbox = this.getAttribute("sandbox") ?? (this.html ? "" : null);
      if (sandbox !== null) this.#frame.setAttribute("sandbox", sandbox || "allow-scripts allow-popups");
      if (this.html) {
        const query = `${address.searchParams}`.replaceAll("&", "&amp;");
        this.#frame.allow = "clipboard-write";
        this.#frame.srcdoc = this.html.replace("<html", `<html data-query="${query}"`);
      } else {
        this.#frame.src = address.href;
      }
      this.shadowRoot.replaceChildren(this.#frame);
    }

    // The placeholder stays until it is scrolled near or clicked.
    #wait() {
      const loading = this.getAttribute("loading") ?? "lazy";
      if (loading === "eager") return this.show();
      const box = made("div", { className: "placeholder" });
      const button = made("button", { type: "button", textContent: "Show in zeview" });
      button.addEventListener("click", () => this.show());
      const words = made("div", {});
      words.append(document.createElement("slot"));
      box.append(words, button);
      this.shadowRoot.replaceChildren(box);
      if (loading === "click") return;
      this.#watch = new IntersectionObserver(
        (entries) => entries.some((entry) => entry.isIntersecting) && this.show(),
        { rootMargin: "200px" },
      );
      this.#watch.observe(this);
    }

    #link() {
      const panel = this.getAttribute("panel");
      const parts = [this.getAttribute("select"), panel && `panel=${encodeURIComponent(panel)}`];
      return parts.filter(Boolean).join("&");
    }

    #size() {
      const height = this.getAttribute("height") ?? HEIGHT;
      this.style.height = height === "auto" ? HEIGHT : /^\d+$/.test(height) ? `${height}px` : height;
    }

    #send(message) {
      if (!this.#ready) return this.#queue.push(message);
      // Sandboxed frames have an opaque origin, which cannot be a target.
      const target = this.#frame.hasAttribute("sandbox") ? "*" : new URL(this.#frame.src).origin;
      this.#frame.contentWindow.postMessage({ zeview: VERSION, ...message }, target);
    }

    #take({ source, data }) {
      if (!this.#frame || source !== this.#frame.contentWindow || data?.zeview !== VERSION) return;
      const { zeview, type, ...detail } = data;
      // No response to a ping: the frame was just loaded.
      if (type === "ready" && detail.id === undefined) {
        this.#ready = true;
        this.#send({ type: "ping", id: 0 });
        for (const message of this.#queue.splice(0)) this.#send(message);
      }
      if (type === "resize" && this.getAttribute("height") === "auto") {
        this.style.height = `${Math.min(detail.height, HEIGHT_MAX)}px`;
      }
      this.dispatchEvent(new CustomEvent(`zeview-${type}`, { detail }));
    }
  }

  customElements.get("zeview-embed") ?? customElements.define("zeview-embed", ZeviewEmbed);
})();
