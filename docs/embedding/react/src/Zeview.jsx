import { useEffect, useRef } from "react";

/**
 * A file in zeview. `page` is the address of a zeview release. The other properties are the
 * attributes of <zeview-embed>; `onSelected` gets what is selected.
 */
export function Zeview({ page = "/zeview/", onSelected, children, ...attributes }) {
  const element = useRef(null);

  useEffect(() => {
    const address = `${page}zeview-embed.js`;
    if (document.querySelector(`script[src="${address}"]`)) return;
    const script = document.createElement("script");
    script.src = address;
    document.head.append(script);
  }, [page]);

  useEffect(() => {
    const { current } = element;
    const tell = ({ detail }) => onSelected?.(detail);
    current.addEventListener("zeview-selected", tell);
    return () => current.removeEventListener("zeview-selected", tell);
  }, [onSelected]);

  return <zeview-embed ref={element} page={page} {...attributes}>{children}</zeview-embed>;
}
