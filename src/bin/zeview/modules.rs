//! `zeview modules`: prints the modules of SYCLBINs and their target devices.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use zeview::tables;

use clap::Args;
use zeview::analysis::modules::{
    Image, ModuleGraph, Modules, Property, PropertyOwner, PropertySet, PropertyValue, json,
};
use zeview::model::account::Account;
use zeview::model::text::{escaped, plural};
use zeview::model::{Document, NodeId, is_pattern};
use zeview::tables::ListId;

use crate::argument::{InputFiles, Within, own_help};
use crate::files::{Inputs, name_of};
use crate::output::{self, Text, complain};
use crate::rows::Objects;
use crate::style;

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
    let path = options.within.path.as_deref();
    let is_array = options.input.files.len() > 1 || path.is_some_and(is_pattern);
    let mut inputs = Inputs::default();
    let mut printer = Printer {
        out: match (options.json, is_array) {
            (false, _) => Form::Text(output::text_within(&account)),
            (true, true) => Form::Json(Objects::array(&account)),
            (true, false) => Form::Json(Objects::single(&account)),
        },
        account,
        left_out: 0,
        count: 0,
        is_array,
    };
    inputs.each(&options.input.files, |inputs, file, mut document| {
        output::allow(&printer.account, &document);
        if let Err(error) = printer.file(&mut document, file, path)? {
            inputs.fail(file, &error);
        }
        inputs.report_unread(file, &document);
        let left_out = std::mem::take(&mut printer.left_out);
        if left_out > 0 {
            let modules = plural(left_out as u64, "abstract module");
            let problem = format!("{modules} left out: the output is too long");
            inputs.fail(file, &problem);
        }
        Ok(())
    })?;
    printer.finish()?;
    Ok(inputs.status())
}

struct Printer {
    out: Form,
    /// Remaining output budget.
    account: Rc<Account>,
    /// Number of abstract modules left out.
    left_out: usize,
    /// Number of SYCLBINs printed.
    count: usize,
    is_array: bool,
}

enum Form {
    Json(Objects),
    Text(Text),
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
                tables::documents_with(document, ListId::Modules)
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
            let name = name_of(file, &document.path(id));
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
        self.left_out += match &mut self.out {
            Form::Json(objects) => {
                let has_room = || !self.account.is_overdrawn();
                let sources = &document.sources;
                objects.write(|out| json::write(modules, sources, name, &has_room, out))?
            }
            Form::Text(out) => {
                if self.is_array {
                    out.write_all(if is_first { b"" } else { b"\n" })?;
                    out.paint(style::HEAD, escaped(name))?;
                    write!(out, ": ")?;
                }
                print(document, modules, &self.account, out)?
            }
        };
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        match self.out {
            // A file without modules is an empty array.
            Form::Json(_) if self.count == 0 => Objects::array(&self.account).finish(),
            Form::Json(objects) => objects.finish(),
            Form::Text(mut out) => out.flush(),
        }
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
        // A few long names do not move the values of all others.
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
