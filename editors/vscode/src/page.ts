// One page in a viewer's webview, until VS Code discards it: the decoders that run for it, the files
// that it may read, and the questions that it has not answered. Nothing of it outlives it, so that a
// file of one page is never taken for that of another.

import * as vscode from "vscode";
import type { Decoder, FileInMessage, FileOnDisk, Platform } from "./platform.ts";

/** Maximum size of a file that is read as a whole, in bytes. */
const WHOLE_MAX = 256 * 1024 * 1024;

/** A message from or to the webview: of zeview (docs/src/reference/embedding.md), or of webview/host.ts. */
export type Message = Record<string, any>;

/** A file for the page: a token for ranges of it, or its bytes. */
export interface FileForPage {
  readonly name: string;
  readonly size: number;
  /** Time of the last change, in milliseconds. */
  readonly modified: number;
  /** Differs for each version of the file. */
  readonly version: string;
  readonly token?: number;
  readonly bytes?: Uint8Array;
}

/** Tokens and questions are not used again for another page. */
let next = 1;

export class Page {
  /** What the page calls itself: in each of its messages. */
  readonly id: string;
  /** Whether it shows the viewer's file. */
  isLoaded = false;
  readonly #post: (message: Message) => void;
  readonly #platform: Platform;
  readonly #decoders = new Map<number, Decoder>();
  /** The files that the page may read, by token. */
  readonly #files = new Map<number, FileOnDisk>();
  readonly #questions = new Map<number, { resolve(text: string): void; reject(error: Error): void }>();
  #isClosed = false;

  constructor(id: string, platform: Platform, post: (message: Message) => void) {
    this.id = id;
    this.#platform = platform;
    this.#post = post;
  }

  /** Sends a message of zeview. Fails if the page is gone. */
  send(message: Message): void {
    if (this.#isClosed) throw new Error("The viewer was closed.");
    this.#post({ zeview: 1, ...message });
  }

  /** Opens a file for the page. */
  async open(uri: vscode.Uri): Promise<FileForPage> {
    const name = uri.path.split("/").at(-1) ?? "";
    const file = await this.#platform.open(uri);
    if (file) {
      const token = next++;
      this.#files.set(token, file);
      return { name, token, size: file.size, modified: file.modified, version: `${file.size} ${file.modified}` };
    }
    const { size, mtime } = await vscode.workspace.fs.stat(uri);
    if (size > WHOLE_MAX) {
      throw new Error(
        `It has ${megabytes(size)} MB. Here, files are read as a whole, and the limit is ${megabytes(WHOLE_MAX)} MB. `
        + "VS Code on the machine that has the file reads only what is shown.",
      );
    }
    const bytes = await vscode.workspace.fs.readFile(uri);
    return { name, bytes, size, modified: mtime, version: `${size} ${mtime}` };
  }

  /** Closes a file that the page was not given. */
  forget({ token }: FileForPage): void {
    if (token !== undefined) this.#files.delete(token);
  }

  /** The bytes of a file in a message of the page. */
  async bytes({ token, bytes, start, end }: Message): Promise<Uint8Array> {
    if (bytes) return bytes;
    const file = this.#files.get(token);
    if (!file) throw new Error("the file is closed");
    return this.#platform.read(file, start, end);
  }

  /** Asks the page, and returns its answer. */
  ask(message: Message): Promise<string> {
    const id = next++;
    return new Promise<string>((resolve, reject) => {
      this.#questions.set(id, { resolve, reject });
      this.send({ ...message, id });
    });
  }

  /** Handles an answer of the page. */
  answer({ id, type, text, message }: Message): void {
    const question = this.#questions.get(id);
    this.#questions.delete(id);
    if (type === "error") question?.reject(new Error(message));
    else question?.resolve(text);
  }

  /** Handles a message of webview/host.ts. */
  receive(message: Message): void {
    const { decoder, kind } = message;
    switch (kind) {
      case "start": return this.#start(decoder);
      case "request": return this.#decoders.get(decoder)?.post(this.#resolved(message.message));
      case "stop": {
        this.#decoders.get(decoder)?.close();
        this.#decoders.delete(decoder);
        return;
      }
      case "read": return void this.#read(message);
    }
  }

  #start(decoder: number): void {
    const running = this.#platform.startDecoder?.(
      (message) => this.#reply({ decoder, message }),
      (failure) => this.#reply({ decoder, failure }),
    );
    if (running) this.#decoders.set(decoder, running);
  }

  /** Replaces the token of a file. */
  #resolved({ file, ...message }: Message): Message {
    if (!file) return message;
    const { token, start, end } = file;
    const known = this.#files.get(token) ?? { error: "the file is closed" };
    const resolved: FileInMessage = file.bytes ? file : { ...known, start, end };
    return { ...message, file: resolved };
  }

  async #read(message: Message): Promise<void> {
    const { id } = message;
    try {
      this.#reply({ id, bytes: await this.bytes(message) });
    } catch (error) {
      this.#reply({ id, error: String(error) });
    }
  }

  /** Posts what the page may not wait for any more. */
  #reply(message: Message): void {
    if (!this.#isClosed) this.#post(message);
  }

  /** Ends what belongs to the page, which is gone. */
  close(): void {
    this.#isClosed = true;
    for (const decoder of this.#decoders.values()) decoder.close();
    this.#decoders.clear();
    this.#files.clear();
    for (const { reject } of this.#questions.values()) reject(new Error("The viewer was closed."));
    this.#questions.clear();
  }
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toString();
}
