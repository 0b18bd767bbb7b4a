//! HTML pages without scripts, external links or images, for mail clients and printing.

use std::io::{self, Write};

use zeview_core::model::text::escaped;

static STYLE: &str = "body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;\
padding:0 1rem;color:#1b1f24;background:#fff}.wide{overflow-x:auto}table{border-collapse:collapse;\
min-width:100%}caption{text-align:left;color:#59636e;padding:.2rem 0}\
th,td{border-bottom:1px solid #d0d7de;padding:.25rem .6rem;text-align:left;vertical-align:top}\
td{overflow-wrap:break-word;min-width:14ch}td.mono{overflow-wrap:anywhere}td.num{white-space:nowrap;min-width:0}\
.num{text-align:right;font-variant-numeric:tabular-nums}\
.mono,td.from,td.to{font-family:ui-monospace,monospace;font-size:.92em}.worse,.bad{color:#a40e26}\
.better,.good{color:#116329}.warn{color:#7d4e00}.dim{color:#59636e}h1{font-size:1.5rem;\
overflow-wrap:anywhere}h2{margin-top:2rem;font-size:1.2rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}\
article+article{border-top:2px solid #d0d7de;margin-top:3rem;padding-top:1rem}\
@media screen and (prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}\
th,td,article+article{border-color:#30363d}.worse,.bad{color:#ff8182}.better,.good{color:#56d364}\
.warn{color:#e3b341}.dim,caption{color:#9198a1}}\
@media print{body{margin:0;max-width:none;font-size:10px}thead{display:table-header-group}\
tr{break-inside:avoid}h2,h3{break-after:avoid}.wide{overflow:visible}\
article+article{break-before:page;border:0;margin:0}}";

/// Escapes text for HTML, including characters that could disguise it.
pub fn safe(text: &str) -> String {
    let text = escaped(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Writes the beginning of a page.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn begin(title: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{}</title>\
         <style>{STYLE}</style></head><body>",
        safe(title)
    )
}

/// Writes the end of a page.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</body></html>")
}
