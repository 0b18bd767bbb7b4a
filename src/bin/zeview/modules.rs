//! `zeview modules`: prints the modules of SYCLBINs and their target devices.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use zeview::analysis::modules::{
    Image, ModuleGraph, Modules, Property, PropertyOwner, PropertySet, PropertyValue, json,
};
use zeview::decode::text::plural;
use zeview::model::account::Account;
use zeview::model::text::escaped;
use zeview::model::{Document, NodeId, is_pattern};
use zeview::tables::ListId;

use crate::argument::{InputFiles, Within, own_help};
use crate::input;
use crate::output::{self, Text, complain};
use crate::progress::Progress;
use crate::style;
use crate::unread;

/// Help of `--path`.
const PATH_HELP: &str = "The SYCLBINs within the file: a path as `zeview ls` prints it, or a pattern. Default: \
    the file itself, or the first SYCLBIN in it";

#[derive(Args)]
#[command(mut_args(own_help(&[("path", PATH_HELP)])))]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    /// Print a JSON object: schema, file, version, state, global_properties, abstract_modules. For
    /// several files or a pattern, print an array of these.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: Within,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let account = output::account();
    let mut printer = Printer {
        json: output::json_within(&account),
        text: output::text_within(&account),
        account,
        left_out: 0,
        count: 0,
        is_json: options.json,
        is_array: options.input.files.len() > 1
            || options.within.path.as_deref().is_some_and(is_pattern),
    };
    let mut status = 0;
    for file in &options.input.files {
        let progress = Progress::start();
        progress.set(|| format!("decoding {}", file.display()));
        let opened = input::open(file);
        drop(progress);
        let printed = match opened {
            Ok(mut document) => {
                output::allow(&printer.account, &document);
                let path = options.within.path.as_deref();
                let printed = printer.file(&mut document, file, path)?;
                if unread::complain_of(file, &document) {
                    status = 2;
                }
                printed
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = printed {
            complain!("{}: {error}", file.display());
            status = 2;
        }
        let left_out = std::mem::take(&mut printer.left_out);
        if left_out > 0 {
            let modules = plural(left_out as u64, "abstract module");
            complain!(
                "{}: {modules} left out: the output is too long",
                file.display()
            );
            status = 2;
        }
    }
    printer.finish()?;
    Ok(ExitCode::from(status))
}

struct Printer {
    json: Text,
    text: Text,
    /// Remaining output budget.
    account: Rc<Account>,
    /// Number of abstract modules left out.
    left_out: usize,
    /// Number of SYCLBINs printed.
    count: usize,
    is_json: bool,
    is_array: bool,
}

impl Printer {
    /// Prints the modules in a file, or reports why there are none.
    fn file(
        &mut self,
        document: &mut Document,
        file: &Path,
        path: Option<&str>,
    ) -> io::Result<Result<(), String>> {
        let mut found = match path {
            Some(path) => match document.find_all(path) {
                Ok(found) => found,
                Err(error) => return Ok(Err(error.to_string())),
            },
            None => {
                document.open_files(NodeId::ROOT);
                document.documents_with(ListId::Modules)
            }
        };
        found.retain(|id| document.modules(*id).is_some());
        if found.is_empty() {
            let what = path.unwrap_or(&document.summary.title);
            complain!("{}: {what} has no modules to list", file.display());
        }
        // Without a path, name the other SYCLBINs.
        let shown = match path {
            Some(_) => found.len(),
            None => found.len().min(1),
        };
        let others = found.split_off(shown);
        for id in found {
            let Some(modules) = document.modules(id) else {
                continue;
            };
            let name = match document.path(id) {
                path if path.is_empty() => file.display().to_string(),
                path => format!("{}:{path}", file.display()),
            };
            self.modules(&name, document, &*modules)?;
        }
        for id in others {
            let path = document.path(id);
            complain!("{}: there is another one: --path {path:?}", file.display());
        }
        Ok(Ok(()))
    }

    fn modules(
        &mut self,
        name: &str,
        document: &Document,
        modules: &dyn Modules,
    ) -> io::Result<()> {
        let is_first = self.count == 0;
        self.count += 1;
        if self.is_json {
            if self.is_array {
                self.json
                    .write_all(if is_first { b"[\n" } else { b",\n" })?;
            }
            let has_room = || !self.account.is_overdrawn();
            let out = &mut self.json;
            self.left_out += json::write(modules, &document.sources, name, &has_room, out)?;
            return Ok(());
        }
        if self.is_array {
            self.text.write_all(if is_first { b"" } else { b"\n" })?;
            self.text.paint(style::HEAD, escaped(name))?;
            write!(self.text, ": ")?;
        }
        self.left_out += print(document, modules, &self.account, &mut self.text)?;
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        if self.is_json && (self.is_array || self.count == 0) {
            self.json
                .write_all(if self.count == 0 { b"[]\n" } else { b"\n]\n" })?;
        } else if self.count > 0 && self.is_json {
            self.json.write_all(b"\n")?;
        }
        self.json.flush()?;
        self.text.flush()
    }
}

/// Prints the modules. Returns the number left out.
fn print(
    document: &Document,
    modules: &dyn Modules,
    account: &Account,
    out: &mut Text,
) -> io::Result<usize> {
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
        plural(graph.abstract_modules.len() as u64, "abstract module"),
        plural(graph.ir_modules.len() as u64, "IR module"),
        plural(graph.native_images.len() as u64, "native device code image"),
    )?;
    print_properties(&modules.properties(PropertyOwner::Whole, sources), out)?;
    for (at, module) in graph.abstract_modules.iter().enumerate() {
        if account.is_overdrawn() {
            return Ok(graph.abstract_modules.len() - at);
        }
        writeln!(out)?;
        out.paint(
            style::HEAD,
            format_args!("abstract module {}", module.index),
        )?;
        writeln!(out)?;
        let owner = PropertyOwner::AbstractModule(module.index);
        print_properties(&modules.properties(owner, sources), out)?;
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
    print_symbols(&graph, out)?;
    Ok(0)
}

fn print_image(what: &str, number: u32, image: &Image, out: &mut Text) -> io::Result<()> {
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
    write!(out, " · ")?;
    out.paint(
        style::DIM,
        format_args!("{:#x}..{:#x}", span.start, span.end),
    )?;
    write!(out, " ({} bytes)", span.len())?;
    if !image.title.is_empty() {
        write!(out, " · {}", escaped(&image.title))?;
    }
    writeln!(out)
}

fn print_properties(sets: &[PropertySet], out: &mut Text) -> io::Result<()> {
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

fn print_symbols(graph: &ModuleGraph, out: &mut Text) -> io::Result<()> {
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
            [] => "no module in this file".to_owned(),
            modules => list(modules),
        };
        let name = escaped(&symbol.name);
        writeln!(out, "  {name}: {} from {from}", list(&symbol.imported_by))?;
    }
    Ok(())
}
