//! The page as a single file that opens from disk: `dist/zeview.html`.
//!
//! Styles and scripts are inlined; wasm and modules are compressed and encoded in Base64. A first
//! script turns them into blobs, whose addresses replace file addresses in `www/boot.js` and
//! `www/decoder.js`. The policy allows only these scripts, by hash. Samples are not included.

use crate::dist;
use crate::project::Project;
use crate::setup;
use crate::shell::{Outcome, say};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files loaded at run time, with their types.
const FILES: [(&str, &str); 5] = [
    ("app.js", "text/javascript"),
    ("app_bg.wasm", "application/wasm"),
    ("decoder.js", "text/javascript"),
    ("worker.js", "text/javascript"),
    ("worker_bg.wasm", "application/wasm"),
];

/// Creates the blobs of `files`, then starts the page with the script `boot`.
const UNPACK: &str = r#"
const unpack = async ([name, type, packed]) => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const blob = await new Response(stream, { headers: { "Content-Type": type } }).blob();
  return ["./" + name, URL.createObjectURL(blob)];
};
const explain = async (reason) => {
  // This script runs before the page is fully parsed.
  if (document.readyState === "loading") {
    await new Promise((read) => document.addEventListener("DOMContentLoaded", read, { once: true }));
  }
  document.getElementById("starting-says").textContent = `zeview could not start: ${reason}. Reload the page.`;
};
const start = (addresses) => {
  globalThis.zeviewFiles = Object.fromEntries(addresses);
  const script = document.createElement("script");
  const address = URL.createObjectURL(new Blob([boot], { type: "text/javascript" }));
  const policy = globalThis.trustedTypes?.createPolicy("zeview-boot", { createScriptURL: (text) => text });
  script.src = policy?.createScriptURL(address) ?? address;
  script.addEventListener("error", () => explain("its first script could not be loaded"));
  document.head.append(script);
};
Promise.all(files.map(unpack)).then(start).catch((error) => {
  explain(error);
  throw error;
});
"#;

/// `cargo xtask single`
pub fn build(project: &Project) -> Outcome {
    let tools = setup::meet(project, dist::NEEDS)?;
    dist::build(project, &tools)?;
    let to = dist::folder(project).join("zeview.html");
    write(project, &to)
}

/// Builds the page for the tests.
pub fn for_tests(project: &Project) -> Outcome<PathBuf> {
    let to = project.target.join("single/zeview.html");
    write(project, &to)?;
    Ok(to)
}

/// Writes the page from the release folder to a file.
pub fn write(project: &Project, to: &Path) -> Outcome {
    let dist = dist::folder(project);
    let folder = dist.join(dist::version(&dist)?);
    let html = single(
        &dist::without_documentation(&text(&dist.join("index.html"))?),
        &folder,
    )?;
    dist::write(to, html.as_bytes())?;
    say(format!("{}: {} KB", to.display(), html.len() / 1000));
    Ok(())
}

fn single(html: &str, folder: &Path) -> Outcome<String> {
    let mut files = Vec::new();
    for (name, kind) in FILES {
        let packed = STANDARD.encode(compressed(&dist::read(&folder.join(name))?)?);
        files.push(format!("[\"{name}\", \"{kind}\", \"{packed}\"]"));
    }
    let boot = serde_json::to_string(&text(&folder.join("boot.js"))?);
    // `</script>` in a text must not end the script.
    let boot = boot
        .map_err(|error| error.to_string())?
        .replace("</", "<\\/");
    let script = format!(
        "\nconst files = [{}];\nconst boot = {boot};{UNPACK}",
        files.join(", ")
    );
    let (mut head, mut styles) = (String::new(), String::new());
    for line in html.split_inclusive('\n') {
        let is = |part: &str| line.contains(part);
        if is("rel=\"stylesheet\"") {
            let address = line
                .split("href=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            let name = address.and_then(|address| address.rsplit('/').next());
            styles += &text(&folder.join(name.ok_or("a style sheet has no address")?))?;
        } else if !is("rel=\"icon\"")
            && !is("rel=\"manifest\"")
            && !is("rel=\"modulepreload\"")
            && !is("<script")
        {
            head += line;
        }
    }
    // Samples are not available from disk.
    styles += "\n.samples, p:has(+ .samples) { display: none; }\n";
    let policy = format!(
        "default-src 'none'; script-src '{}' blob: 'wasm-unsafe-eval'; style-src '{}'; connect-src blob: https: http://localhost:* http://127.0.0.1:*; img-src data: blob:; worker-src blob:; base-uri 'none'; require-trusted-types-for 'script'; trusted-types zeview-boot zeview-decoder",
        hash(&script),
        hash(&styles),
    );
    let (before, rest) = head
        .split_once("Content-Security-Policy\" content=\"")
        .ok_or("index.html has no policy")?;
    let (_, after) = rest.split_once('"').ok_or("the policy has no end")?;
    let head = format!("{before}Content-Security-Policy\" content=\"{policy}\"{after}");
    let end = head.find("</head>").ok_or("index.html has no head")?;
    let (start, rest) = head.split_at(end);
    Ok(format!(
        "{start}<style>{styles}</style>\n<script>{script}</script>\n{rest}"
    ))
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

fn compressed(bytes: &[u8]) -> Outcome<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let describe = |error: std::io::Error| error.to_string();
    encoder.write_all(bytes).map_err(describe)?;
    encoder.finish().map_err(describe)
}

fn text(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
