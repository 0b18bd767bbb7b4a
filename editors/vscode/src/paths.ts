// Paths of source files.

/** The last segment of a path; undefined if it is no name of a file. */
export function fileName(path: string): string | undefined {
  const name = path.split(/[/\\]/).at(-1) ?? "";
  return ["", ".", ".."].includes(name) ? undefined : name;
}

/**
 * An absolute path as the path of an address; undefined if it is relative. Paths to other machines
 * (`//machine/share`) become paths of this one: opening a file's source must not connect to a machine
 * that the file names.
 */
export function absolute(path: string): string | undefined {
  const slashes = path.replaceAll("\\", "/");
  return /^(\/|[A-Za-z]:\/)/.test(slashes) ? `/${slashes.replace(/^\/+/, "")}` : undefined;
}

/** Returns the candidates that share the most trailing segments with a path. */
export function best<T>(path: string, candidates: readonly T[], pathOf: (candidate: T) => string): T[] {
  const segments = (text: string) => text.split(/[/\\]/).filter((part) => part !== "" && part !== ".").reverse();
  const wanted = segments(path);
  const shared = (candidate: T) => {
    const own = segments(pathOf(candidate));
    const differs = wanted.findIndex((part, at) => part !== own[at]);
    return differs < 0 ? wanted.length : differs;
  };
  const counts = candidates.map(shared);
  const most = Math.max(1, ...counts);
  return candidates.filter((_, at) => counts[at] === most);
}

/**
 * The filter that finds the lines of a file in zeview's table of source lines; undefined if its
 * queries cannot express the name.
 */
export function lineFilter(path: string, line: number): string | undefined {
  const name = fileName(path);
  return name === undefined || name.includes("\"") ? undefined : `source_file="${name}" line=${line}`;
}
