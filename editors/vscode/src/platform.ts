// What differs between VS Code with Node.js (desktop, remote) and VS Code for the Web.

import type { Uri } from "vscode";

/** A file that is read on demand, as it was when it was opened. */
export interface FileOnDisk {
  readonly path: string;
  readonly size: number;
  /** Time of the last change, in milliseconds. */
  readonly modified: number;
}

/** The content of a file. */
export interface FileInMemory {
  readonly bytes: Uint8Array;
}

/** A file in a request to the decoder, or a part of it. One that is not open has the reason: its reads fail. */
export type FileInMessage = FileInMemory | (FileOnDisk | ClosedFile) & { readonly start: number; readonly end: number };

/** A file that is not open. It is never an empty file. */
export interface ClosedFile {
  readonly error: string;
}

/** A running decoder. */
export interface Decoder {
  post(message: object): void;
  close(): void;
}

export interface Platform {
  /**
   * Starts a decoder beside the extension. Calls `tell` for each of its messages and `fail` if it
   * cannot be started or crashes. Undefined if decoders run in the webview.
   */
  startDecoder?(tell: (message: unknown) => void, fail: (text: string) => void): Decoder;
  /** Opens a file to be read on demand; undefined if its bytes are not on this machine's disk. */
  open(uri: Uri): Promise<FileOnDisk | undefined>;
  /** Reads a range of such a file. */
  read(file: FileOnDisk, start: number, end: number): Promise<Uint8Array>;
}
