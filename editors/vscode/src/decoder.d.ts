// The script that wasm-bindgen generates for the decoder, in the page's release folder.
declare module "zeview-decoder" {
  export default function init(options: { module_or_path: WebAssembly.Module }): Promise<unknown>;
}

// In the types of browsers only.
declare namespace WebAssembly {
  interface Module {}
  function compile(bytes: Uint8Array): Promise<Module>;
}
