//! `zeview modules`: what a SYCLBIN holds for which device.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::Args;
use zeview::model::Document;
use zeview::model::list::ListId;
use zeview::model::modules::{
    Holder, Image, ModuleGraph, Modules, Property, PropertySet, PropertyValue, json,
};
use zeview::model::text::escaped;

use crate::FileArgument;
use crate::input;
use crate::progress::Progress;

#[derive(Args)]
pub struct Options {
    /// The file; `-` reads standard input.
    file: FileArgument,
    /// Print a JSON object.
    #[arg(long)]
    json: bool,
    /// The SYCLBIN within the file: names as the dump shows them, `[3]` for the entries of
    /// tables. Without it, the file itself, or the first one in it.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let name = options.file.display();
    let progress = Progress::start();
    progress.say(|| format!("decoding {name}"));
    let mut document = match input::open(&options.file) {
        Ok(document) => document,
        Err(error) => {
            eprintln!("zeview: {name}: {error}");
            return Ok(ExitCode::from(2));
        }
    };
    drop(progress);
    let found = match &options.path {
        Some(path) => document.find(path).map(|id| vec![id]),
        None => Ok(document.documents_with(ListId::Modules)),
    };
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            eprintln!("zeview: {name}: {error}");
            return Ok(ExitCode::from(2));
        }
    };
    let Some(modules) = found.first().and_then(|id| document.modules(*id)) else {
        let what = match options.path.as_deref() {
            Some(path) => path,
            None => &document.summary.title,
        };
        eprintln!("zeview: {name}: {what} has no modules to list");
        return Ok(ExitCode::from(2));
    };
    for id in found.iter().skip(1) {
        let path = document.path(*id);
        eprintln!("zeview: {name}: there is another one: --path {path:?}");
    }
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match options.json {
        true => json::write(&*modules, &document.sources, &mut out)?,
        false => print(&document, &*modules, &mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn print(document: &Document, modules: &dyn Modules, out: &mut impl Write) -> io::Result<()> {
    let sources = &document.sources;
    let graph = modules.graph(sources);
    write!(out, "SYCLBIN {}", graph.version.value)?;
    match (graph.state_name(), graph.state) {
        (Some(name), _) => write!(out, " · {name}")?,
        (None, Some(state)) => write!(out, " · state {}", state.value)?,
        (None, None) => {}
    }
    writeln!(
        out,
        " · {}, {}, {}",
        plural(graph.abstract_modules.len(), "abstract module"),
        plural(graph.ir_modules.len(), "IR module"),
        plural(graph.native_images.len(), "native device code image"),
    )?;
    print_properties(&modules.properties(Holder::Whole, sources), out)?;
    for module in &graph.abstract_modules {
        writeln!(out, "\nabstract module {}", module.index)?;
        let holder = Holder::AbstractModule(module.index);
        print_properties(&modules.properties(holder, sources), out)?;
        for (range, images, what) in [
            (&module.ir_modules, graph.ir_modules_of(module), "IR module"),
            (
                &module.native_images,
                graph.native_images_of(module),
                "native device code image",
            ),
        ] {
            for (image, number) in images.iter().zip(range.clone()) {
                print_image(what, number, image, out)?;
            }
        }
    }
    print_symbols(&graph, out)
}

fn plural(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

fn print_image(what: &str, number: u32, image: &Image, out: &mut impl Write) -> io::Result<()> {
    write!(out, "  {what} {number}:")?;
    if let Some(kind) = image.ir_type {
        match image.ir_type_name() {
            Some(name) => write!(out, " {name}")?,
            None => write!(out, " type {}", kind.value)?,
        }
    }
    for text in [&image.arch, &image.target].into_iter().flatten() {
        write!(out, " {}", escaped(&text.value))?;
    }
    let span = image.bytes;
    write!(
        out,
        " · {:#x}..{:#x} ({} bytes)",
        span.start,
        span.end,
        span.len()
    )?;
    if !image.title.is_empty() {
        write!(out, " · {}", escaped(&image.title))?;
    }
    writeln!(out)
}

fn print_properties(sets: &[PropertySet], out: &mut impl Write) -> io::Result<()> {
    for set in sets {
        writeln!(out, "  [{}]", escaped(&set.name))?;
        let names: Vec<String> = set.entries.iter().map(|e| escaped(&e.key)).collect();
        let width = names.iter().map(|name| name.chars().count());
        let width = width.filter(|len| *len <= 40).max().unwrap_or(0);
        for (entry, name) in set.entries.iter().zip(names) {
            writeln!(out, "    {name:width$}  {}", value(entry))?;
        }
    }
    Ok(())
}

fn value(entry: &Property) -> String {
    match (&entry.value, entry.meaning.as_str()) {
        (PropertyValue::Number(number), "") => number.to_string(),
        (PropertyValue::Number(number), meaning) => format!("{number} ({meaning})"),
        (PropertyValue::Bytes { .. }, meaning) => meaning.to_owned(),
        (PropertyValue::Unreadable(text), _) => format!("unreadable: {}", escaped(text)),
    }
}

fn print_symbols(graph: &ModuleGraph, out: &mut impl Write) -> io::Result<()> {
    let mut first = true;
    for symbol in &graph.symbols {
        if symbol.imported_by.is_empty() {
            continue;
        }
        if first {
            writeln!(out, "\nimported symbols")?;
            first = false;
        }
        let list = |modules: &[u32]| {
            let shown: Vec<String> = modules.iter().take(8).map(u32::to_string).collect();
            let more = if modules.len() > 8 { " …" } else { "" };
            format!("{}{more}", shown.join(", "))
        };
        let from = match symbol.exported_by.as_slice() {
            [] => "nobody here".to_owned(),
            modules => list(modules),
        };
        let name = escaped(&symbol.name);
        writeln!(out, "  {name}: {} from {from}", list(&symbol.imported_by))?;
    }
    Ok(())
}
