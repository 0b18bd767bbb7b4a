// Connects the page with the extension: takes the place of the page that embeds zeview
// (docs/src/reference/embedding.md), provides files that the extension reads on demand, and relays
// the messages of decoders that run beside the extension.

type Message = Record<string, any>;

declare function acquireVsCodeApi(): { postMessage(message: Message): void };

const vscode = acquireVsCodeApi();

/** Tells this page from the ones before it: VS Code discards the pages of hidden viewers. */
const pageId = `${Date.now()} ${Math.random()}`;

function tellExtension(message: Message): void {
  vscode.postMessage({ ...message, pageId });
}

// -- Files --------------------------------------------------------------------

const reads = new Map<number, { resolve(bytes: Uint8Array): void; reject(error: DOMException): void }>();
let nextId = 1;

/** A file on the machine of the extension, or a part of it. Nothing of it is here. */
class DistantFile extends File {
  readonly token: number;
  readonly start: number;
  readonly end: number;

  constructor(name: string, token: number, start: number, end: number, lastModified: number) {
    super([], name, { lastModified });
    [this.token, this.start, this.end] = [token, start, end];
  }

  override get size(): number {
    return this.end - this.start;
  }

  override slice(start = 0, end = this.size): Blob {
    const within = (at: number) => Math.min(this.start + at, this.end);
    return new DistantFile(this.name, this.token, within(start), within(end), this.lastModified);
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    const { token, start, end } = this;
    const id = nextId++;
    tellExtension({ kind: "read", id, token, start, end });
    return new Promise<Uint8Array>((resolve, reject) => reads.set(id, { resolve, reject }))
      .then((bytes) => bytes.slice().buffer as ArrayBuffer);
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer());
  }
}

/** A file for the extension. */
async function packed(file: Blob): Promise<Message> {
  if (file instanceof DistantFile) return { token: file.token, start: file.start, end: file.end };
  return { bytes: new Uint8Array(await file.arrayBuffer()) };
}

function unpacked({ name, token, bytes, size, modified }: Message): File {
  return bytes
    ? new File([bytes], name, { lastModified: modified })
    : new DistantFile(name, token, 0, size, modified);
}

// -- Decoders -----------------------------------------------------------------

const decoders = new Map<number, { tell(message: unknown): void; fail(text: string): void }>();

/** Takes the place of `start` in www/decoder.js. */
function startDecoder(tell: (message: unknown) => void, fail: (text: string) => void) {
  const decoder = nextId++;
  decoders.set(decoder, { tell, fail });
  tellExtension({ decoder, kind: "start" });
  // Requests keep their order while the bytes of a file are read.
  let last = Promise.resolve();
  return {
    post(message: Message) {
      last = last.then(async () => {
        const { file, ...rest } = message;
        tellExtension({ decoder, kind: "request", message: file ? { ...rest, file: await packed(file) } : rest });
      }).catch((error) => fail(String(error)));
    },
    close() {
      decoders.delete(decoder);
      tellExtension({ decoder, kind: "stop" });
    },
  };
}

// -- The host -----------------------------------------------------------------

class Host extends EventTarget {
  readonly startDecoder = startDecoder;

  /** Receives the page's messages. */
  postMessage(message: Message): void {
    const { type, id, file } = message;
    if (type === "ready" && id === undefined) {
      // The page listens, and reports what happens from now on.
      this.send({ zeview: 1, type: "ping", id: 0 });
      showTheme();
      tellExtension(message);
    } else if (type === "save") {
      void packed(file).then((file) => tellExtension({ ...message, file }));
    } else if (type !== "ready") {
      tellExtension(message);
    }
  }

  /** Sends a message to the page, as windows do: in a task of its own. */
  send(message: Message): void {
    setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: message })));
  }
}

const host = new Host();
const global = globalThis as typeof globalThis & { zeviewHost: Host; zeviewFiles?: Record<string, string> };
global.zeviewHost = host;
const { decoder } = (document.currentScript as HTMLScriptElement).dataset;
if (decoder) global.zeviewFiles = { "./decoder.js": decoder };

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if (data.zeview) {
    const { file, ...message } = data;
    host.send(file ? { ...message, bytes: unpacked(file) } : message);
  } else if (data.decoder) {
    const decoder = decoders.get(data.decoder);
    if (data.failure !== undefined) decoder?.fail(data.failure);
    else decoder?.tell(data.message);
  } else if (reads.has(data.id)) {
    const read = reads.get(data.id);
    reads.delete(data.id);
    if (data.bytes) read?.resolve(data.bytes);
    else read?.reject(new DOMException(data.error, "NotReadableError"));
  }
});

// The editor keeps its own history.
history.pushState = history.replaceState = () => {};

// -- The theme ----------------------------------------------------------------

/** The classes of VS Code's themes. */
function theme(): string {
  const { classList } = document.body;
  const isLight = classList.contains("vscode-light") || classList.contains("vscode-high-contrast-light");
  return isLight ? "light" : "dark";
}

function showTheme(): void {
  host.send({ zeview: 1, type: "theme", theme: theme() });
}

// The body does not exist yet.
addEventListener("DOMContentLoaded", () => {
  document.documentElement.dataset.theme = theme();
  new MutationObserver(showTheme).observe(document.body, { attributes: true, attributeFilter: ["class"] });
});
