// mdBook puts scripts at the end of each page; `path_to_root` is its own.
const script = document.createElement("script");
script.src = `${globalThis.path_to_root ?? ""}zeview/zeview-embed.js`;
document.head.append(script);
