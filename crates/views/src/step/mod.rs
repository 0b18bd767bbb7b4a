//! A kernel in step: its source, SPIR-V, vISA and instructions side by side, line by line; those of
//! Triton with TTIR, TTGIR and LLVM IR.
//!
//! A line belongs to points: places in the source, from the line tables of the code
//! (`.debug_line`, with the calls of inlined functions), of the SPIR-V (`OpLine`, `DebugLine`,
//! `DebugScope`), of the vISA (`FILE`, `LOC`) and of the texts of compilers (`loc`, `!dbg`). Lines of several columns with the same point
//! belong together. If the code and the SPIR-V have no place in common, the points are what both
//! name: arguments, called functions, barriers and atomic operations.

mod compiler_texts;

use std::rc::Rc;

use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use crate::kernel_names::{self, Build};
use zeview_core::analysis::assembly::{Listing, Shape, Shapes};
use zeview_core::analysis::kernel_inputs::InputKind;
use zeview_core::analysis::module_text::{
    FunctionLines, IdStyle, ModuleOperation, ModuleText, OperationKind,
};
use zeview_core::analysis::source_lines::{LineTable, SourceFile, base_name};
use zeview_core::model::{Document, NodeId, NodeKind, Span};

/// A kernel in step.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KernelStep {
    /// The name of the kernel.
    pub kernel: String,
    /// What ties the columns.
    pub basis: Basis,
    /// The columns, from the source to the instructions. Those of one kind follow each other, the
    /// one with the most points first.
    pub columns: Vec<StepColumn>,
    /// The points. Lines have their indices.
    pub points: Vec<Point>,
    /// What is missing, and why.
    pub notes: Vec<String>,
}

/// What ties the columns of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Places in the source.
    Lines,
    /// Names and kinds of operations, as there are no places that the columns share.
    Names,
    /// Nothing.
    #[default]
    None,
}

/// A form of the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepColumn {
    /// What it is.
    pub kind: StepKind,
    /// Its name: the path of a source file, or that of a node.
    pub title: String,
    /// Its lines.
    pub lines: Vec<StepLine>,
}

/// The form of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A file of the source.
    Source,
    /// Triton's first form, in MLIR.
    Ttir,
    /// Triton's form for GPUs, in MLIR.
    Ttgir,
    /// LLVM IR.
    Llvm,
    /// The functions of the kernel in SPIR-V.
    Spirv,
    /// vISA, the virtual instructions of the compiler.
    Visa,
    /// The instructions.
    Instructions,
}

impl StepKind {
    /// Returns its name in words.
    pub fn words(self) -> &'static str {
        match self {
            StepKind::Source => "Source",
            StepKind::Ttir => "TTIR",
            StepKind::Ttgir => "TTGIR",
            StepKind::Llvm => "LLVM IR",
            StepKind::Spirv => "SPIR-V",
            StepKind::Visa => "vISA",
            StepKind::Instructions => "Instructions",
        }
    }
}

/// A line of a column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepLine {
    /// Its number: that of the source line, from 1, or that of the row, from 0.
    pub number: u32,
    /// The label before it; empty if it has none.
    pub label: String,
    /// Its text.
    pub text: String,
    /// Its bytes in the file; `None` for a source file that is not in it.
    pub span: Option<Span>,
    /// Its points by their indices: its own place first, then the calls around it.
    pub points: Vec<u32>,
}

/// What lines of several columns have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Point {
    /// A line of the source.
    Line {
        /// The path of the file, as complete as it is known.
        file: String,
        /// The one-based line.
        line: u32,
    },
    /// Something that both the SPIR-V and the code name: `argument n`, `call f`, `barrier`.
    Name {
        /// The name.
        name: String,
    },
}

impl Point {
    /// Formats it: `add.cl:12`, `argument n`.
    pub fn text(&self) -> String {
        match self {
            Point::Line { file, line } => format!("{}:{line}", base_name(file)),
            Point::Name { name } => name.clone(),
        }
    }
}

/// Maximum number of lines of a column. A kernel of 100 000 instructions has more lines than anybody
/// reads.
const LINES_MAX: usize = 200_000;

/// Maximum number of functions that a kernel calls.
const FUNCTIONS_MAX: usize = 4096;

/// Returns the forms of a build.
pub fn kernel_step(document: &mut Document, build: &Build) -> KernelStep {
    let mut step = KernelStep {
        kernel: build.name.clone(),
        ..KernelStep::default()
    };
    let mut files = Files::default();
    let (listing, table) = code_of(document, build);
    let module = spirv_of(document, build);
    match (&listing, build.code) {
        (Some(_), _) => {}
        (None, None) => {
            step.note("no native code: the kernel is compiled from SPIR-V at its first use")
        }
        (None, Some(_)) => step.note("no instructions: the encoding of the device is unknown"),
    }
    if module.is_none() {
        step.note("no SPIR-V of the kernel in the file");
    }
    let mut texts: Vec<(u32, Vec<String>)> = Vec::new();
    let mut code = listing.as_ref().map(|listing| {
        let lines = instructions(document, &**listing, table.as_deref(), &mut files);
        column(StepKind::Instructions, build.path.clone(), lines)
    });
    let mut spirv = module.as_ref().map(|module| {
        let lines = spirv_lines(document, module, &mut files);
        for file in &module.text.places(&document.sources).files {
            if let Some(text) = &file.text {
                texts.push((files.of(&file.path), text.lines().map(expanded).collect()));
            }
        }
        column(StepKind::Spirv, module.path.clone(), lines)
    });
    let beside = beside(document, build);
    step.notes.extend(beside.notes);
    let visa = visa_of(document, build, &beside.visa, &mut files);
    let mut forms: Vec<StepColumn> = Vec::new();
    for text in beside.texts {
        forms.extend(compiler_text(text, &build.name, &mut files));
    }
    for (path, lines) in document.source_texts().iter() {
        let lines: Vec<String> = lines.iter().map(|line| expanded(line)).collect();
        if compiler_texts::kind_of(path).is_some() {
            let text = CompilerText {
                path: path.clone(),
                lines,
                spans: Vec::new(),
            };
            forms.extend(compiler_text(text, &build.name, &mut files));
        } else {
            texts.push((files.added(path), lines));
        }
    }
    zeview_core::model::sort::by_key(&mut forms, |form| form.kind);
    files.name_points();
    let places = |column: &Option<StepColumn>| -> HashSet<u32> {
        let lines = column.iter().flat_map(|column| &column.lines);
        lines.flat_map(|line| line.points.iter().copied()).collect()
    };
    let (in_code, in_spirv) = (places(&code), places(&spirv));
    step.points.append(&mut files.points);
    step.basis = if in_code.is_empty() && in_spirv.is_empty() {
        Basis::None
    } else {
        Basis::Lines
    };
    let is_tied = !in_code.is_disjoint(&in_spirv);
    if !is_tied
        && let (Some(listing), Some(module), Some(code), Some(spirv)) =
            (&listing, &module, &mut code, &mut spirv)
    {
        let mut names = Names::default();
        names.of_spirv(document, module, &argument_names(document, build), spirv);
        names.of_code(document, &**listing, code);
        if names.join(&mut step.points, code, spirv) {
            if step.basis == Basis::None {
                step.basis = Basis::Names;
            }
            step.note("the SPIR-V and the instructions have no source lines in common: they are tied by name only (arguments, calls, barriers, atomic operations)");
        }
    }
    let tied = forms.iter().chain(&code).chain(&spirv);
    step.columns = sources(&files, texts, tied);
    let known: HashSet<&str> = step.columns.iter().map(|known| &*known.title).collect();
    let without = files.paths.iter().filter(|path| !known.contains(&***path));
    let without: Vec<&str> = without.map(|path| base_name(path)).collect();
    if !without.is_empty() {
        let all = without.join(", ");
        step.notes
            .push(format!("the text of the source is not here: {all}"));
    }
    step.columns.extend(forms);
    step.columns.extend(spirv);
    step.columns.extend(visa);
    step.columns.extend(code);
    step
}

impl KernelStep {
    fn note(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }

    /// Returns the lines of each column with a point, each with the index of its column.
    pub fn lines_at(&self, point: u32) -> Vec<(usize, Vec<&StepLine>)> {
        let columns = self.columns.iter().enumerate();
        let found = columns.map(|(at, column)| {
            let lines = column.lines.iter();
            let lines = lines.filter(|line| line.points.contains(&point));
            (at, lines.collect::<Vec<_>>())
        });
        found.filter(|(_, lines)| !lines.is_empty()).collect()
    }
}

fn column(kind: StepKind, title: String, lines: Vec<StepLine>) -> StepColumn {
    StepColumn { kind, title, lines }
}

fn expanded(line: &str) -> String {
    line.replace('\t', "    ")
}

/// The files of the source and the points in them.
#[derive(Default)]
struct Files {
    paths: Vec<String>,
    /// Those without a name of their own.
    unnamed: Vec<u32>,
    /// The index of a file, by the path as it was written.
    known: HashMap<String, u32>,
    points: Vec<Point>,
    /// The index of a point, by file and line.
    places: HashMap<(u32, u32), u32>,
}

impl Files {
    /// Returns the index of a file. Compilers write a path in full, relative to a folder, or only its
    /// name: paths are of one file if one is the end of the other.
    fn of(&mut self, path: &str) -> u32 {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let same = self.paths.iter().position(|known| ends_alike(known, path));
        let at = same.unwrap_or_else(|| {
            self.paths.push(path.to_owned());
            self.paths.len() - 1
        });
        if let Some(known) = self.paths.get_mut(at)
            && path.len() > known.len()
        {
            path.clone_into(known);
        }
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        self.known.insert(path.to_owned(), at);
        at
    }

    /// Returns the index of a file that the user added: of that name, or the only one without a name.
    fn added(&mut self, path: &str) -> u32 {
        let is_known = self.paths.iter().any(|known| ends_alike(known, path));
        match (is_known, &*self.unnamed) {
            (false, [only]) => {
                let only = *only;
                if let Some(name) = usize::try_from(only)
                    .ok()
                    .and_then(|at| self.paths.get_mut(at))
                {
                    path.clone_into(name);
                }
                only
            }
            _ => self.of(path),
        }
    }

    /// Returns the index of a file of a line table. IGC writes a number for a source without a name.
    fn of_table(&mut self, file: &SourceFile) -> u32 {
        let at = self.of(&path_of(&file.directory, &file.name));
        if !file.is_named && !self.unnamed.contains(&at) {
            self.unnamed.push(at);
        }
        at
    }

    /// Sets the paths of the points, which are complete now.
    fn name_points(&mut self) {
        for ((file, _), point) in &self.places {
            let at = |index: u32| usize::try_from(index).unwrap_or(usize::MAX);
            let path = self.paths.get(at(*file));
            if let (Some(Point::Line { file, .. }), Some(path)) =
                (self.points.get_mut(at(*point)), path)
            {
                path.clone_into(file);
            }
        }
    }

    fn point(&mut self, file: u32, line: u32) -> u32 {
        let points = &mut self.points;
        *self.places.entry((file, line)).or_insert_with(|| {
            points.push(Point::Line {
                // The path may become longer.
                file: String::new(),
                line,
            });
            u32::try_from(points.len().saturating_sub(1)).unwrap_or(u32::MAX)
        })
    }

    /// Adds a point to those of a line.
    fn add(&mut self, line: &mut StepLine, file: u32, number: u32) {
        // Line 0 is none.
        if number > 0 {
            let point = self.point(file, number);
            if !line.points.contains(&point) {
                line.points.push(point);
            }
        }
    }
}

/// Whether one path is the end of the other.
fn ends_alike(one: &str, other: &str) -> bool {
    fn parts(path: &str) -> impl Iterator<Item = &str> {
        let parts = path.split(['/', '\\']).rev();
        parts.filter(|part| !part.is_empty() && *part != ".")
    }
    parts(one).zip(parts(other)).all(|(x, y)| x == y)
}

/// Returns the listing and the line table of a build.
fn code_of(
    document: &mut Document,
    build: &Build,
) -> (Option<Rc<dyn Listing>>, Option<Rc<LineTable>>) {
    let listing = build.code.and_then(|code| {
        let assembly = document.assembly(build.document)?;
        assembly.listing(code, None, &document.sources).ok()
    });
    let listing = listing.filter(|listing| listing.encoding().is_some());
    let lines = document.source_lines(build.document);
    (listing, lines.map(|lines| lines.table(&document.sources)))
}

fn instructions(
    document: &Document,
    listing: &dyn Listing,
    table: Option<&LineTable>,
    files: &mut Files,
) -> Vec<StepLine> {
    let sources = &document.sources;
    let code = listing.code();
    let mut lines = Vec::new();
    for row in (0..listing.count()).take(LINES_MAX) {
        let (Some(line), Some(span)) = (listing.line(row, sources), listing.span(row, sources))
        else {
            break;
        };
        let mut text = line.text.trim_end().to_owned();
        if !line.message.is_empty() {
            text.push_str(" // ");
            text.push_str(&line.message);
        }
        let mut found = StepLine {
            number: row,
            label: line.label.clone(),
            text,
            span: Some(span),
            points: Vec::new(),
        };
        let offset = span.start.saturating_sub(code.start);
        if let Some(table) = table {
            if let Some(row) = table.row_at(code, offset)
                && let Some(file) = table.file(row)
            {
                let file = files.of_table(file);
                files.add(&mut found, file, row.line);
            }
            let frames = table.frames_at(code, offset);
            for frame in frames.iter().skip(1).filter(|frame| !frame.file.is_empty()) {
                let file = files.of(&frame.file);
                files.add(&mut found, file, frame.line);
            }
        }
        lines.push(found);
    }
    lines
}

fn path_of(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{}/{name}", directory.trim_end_matches('/')),
    }
}

/// The functions of a kernel in a module.
struct KernelModule {
    path: String,
    text: Rc<dyn ModuleText>,
    /// Its functions, the kernel first.
    functions: Vec<FunctionLines>,
}

/// Returns the SPIR-V of a kernel: the nearest module with it.
fn spirv_of(document: &mut Document, build: &Build) -> Option<KernelModule> {
    let nearest = kernel_names::modules_of(document, build)
        .into_iter()
        .next()?;
    let functions = nearest.text.functions_of(&build.name, &document.sources);
    Some(KernelModule {
        path: nearest.path,
        text: nearest.text,
        functions,
    })
}

fn spirv_lines(document: &Document, module: &KernelModule, files: &mut Files) -> Vec<StepLine> {
    let sources = &document.sources;
    let places = module.text.places(sources);
    let rows = module.functions.iter().flat_map(|found| found.rows.clone());
    let mut lines = Vec::new();
    for row in rows.take(LINES_MAX) {
        let Some(line) = module.text.line(row, IdStyle::Names, sources) else {
            continue;
        };
        let span = line.span;
        let (text, _) = line.readable();
        let mut found = StepLine {
            number: row,
            label: String::new(),
            text,
            span: Some(span),
            points: Vec::new(),
        };
        for known in places.of(row) {
            let at = usize::try_from(known.place.file).unwrap_or(usize::MAX);
            if let Some(file) = places.files.get(at) {
                let file = files.of(&file.path);
                files.add(&mut found, file, known.place.line);
            }
        }
        lines.push(found);
    }
    lines
}

/// A text of a compiler.
struct CompilerText {
    path: String,
    lines: Vec<String>,
    /// The bytes of the lines; none for a file that is not in the opened one.
    spans: Vec<Span>,
}

/// The texts of compilers in the files around a kernel.
#[derive(Default)]
struct Beside {
    /// MLIR and LLVM IR.
    texts: Vec<CompilerText>,
    /// vISA: the path of each file, and its bytes.
    visa: Vec<(String, Span)>,
    /// What was not read, and why.
    notes: Vec<String>,
}

/// Maximum size of a text of a compiler.
const TEXT_MAX: u64 = 1 << 26;

/// Finds the texts of compilers in the folder or package of a build: those of Triton have the name of
/// its file, the vISA files of IGC's dumps lie in the same folder.
fn beside(document: &Document, build: &Build) -> Beside {
    let mut found = Beside::default();
    let Some(files) = document.package_files(NodeId::ROOT) else {
        return found;
    };
    let all = (0..files.count()).filter_map(|index| Some((index, files.file(index)?)));
    let own = all.clone().find(|(_, file)| *file.path == *build.file);
    let Some((_, own)) = own else { return found };
    let folder = |path: &str| path.rfind('/').map_or(0, |slash| slash.saturating_add(1));
    let place = own.path.get(..folder(&own.path)).unwrap_or_default();
    for (index, file) in all {
        let is_text = compiler_texts::kind_of(&file.path).is_some() && file.stem() == own.stem();
        let is_visa = file.path.ends_with(VISA)
            && file.path.get(..folder(&file.path)) == Some(place)
            && found.visa.len() < FUNCTIONS_MAX;
        if !is_text && !is_visa {
            continue;
        }
        if file.packed != file.size {
            let note = format!("{} is compressed: it is not shown", file.path);
            found.notes.push(note);
            continue;
        }
        let span = files.data(index, &document.sources);
        if span.len() > TEXT_MAX {
            found
                .notes
                .push(format!("{} is too large to be shown", file.path));
        } else if is_visa {
            found.visa.push((file.path.to_string(), span));
        } else if let Ok(bytes) = document.sources.read(span) {
            let mut text = CompilerText {
                path: file.path.to_string(),
                lines: Vec::new(),
                spans: Vec::new(),
            };
            let mut at = 0_u64;
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                let len = line.len() as u64;
                text.spans.push(span.subspan(at, len));
                at = at.saturating_add(len);
                let line = String::from_utf8_lossy(line);
                text.lines
                    .push(expanded(line.trim_end_matches(['\n', '\r'])));
            }
            found.texts.push(text);
        }
    }
    found
}

/// Returns the column of a text of a compiler, if it defines the kernel.
fn compiler_text(text: CompilerText, kernel: &str, files: &mut Files) -> Option<StepColumn> {
    let kind = compiler_texts::kind_of(&text.path)?;
    if !compiler_texts::has_function(&text.lines, kernel) {
        return None;
    }
    let places = compiler_texts::places(kind, &text.lines);
    let mut spans = text.spans.into_iter();
    let lines = (0..)
        .zip(text.lines.into_iter().zip(places))
        .take(LINES_MAX);
    let lines = lines.map(|(number, (text, places))| {
        let span = spans.next();
        let mut line = StepLine {
            number,
            label: String::new(),
            text,
            span,
            points: Vec::new(),
        };
        for (path, place) in places {
            let file = files.of(&path);
            files.add(&mut line, file, place);
        }
        line
    });
    let lines = lines.collect();
    Some(column(kind, text.path, lines))
}

/// Returns the vISA of a kernel: the section, or the file beside it, whose first directive names it.
fn visa_of(
    document: &mut Document,
    build: &Build,
    beside: &[(String, Span)],
    files: &mut Files,
) -> Option<StepColumn> {
    let is_visa = |node: &zeview_core::model::Node| {
        node.kind == NodeKind::Text && node.name.starts_with(VISA)
    };
    let nodes: Vec<NodeId> = document.children_that(build.document, is_visa, FUNCTIONS_MAX);
    let sections = nodes.into_iter().filter_map(|node| {
        let span = document.node(node)?.span?;
        Some((document.path(node), span))
    });
    let candidates: Vec<(String, Span)> = sections.chain(beside.iter().cloned()).collect();
    for (path, span) in candidates {
        let Ok(bytes) = document.sources.read(span) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let is_named = |line: &str| {
            let name = line.trim().strip_prefix(".kernel ");
            name.is_some_and(|name| name.trim().trim_matches('"') == build.name)
        };
        if text.lines().take(VISA_HEAD).any(is_named) {
            let lines = visa_lines(&bytes, span, files);
            return Some(column(StepKind::Visa, path, lines));
        }
    }
    None
}

/// The start of the names of sections with vISA, and the end of the names of files.
const VISA: &str = ".visaasm";

/// Number of lines that may precede the name of a kernel in vISA.
const VISA_HEAD: usize = 16;

fn visa_lines(bytes: &[u8], span: Span, files: &mut Files) -> Vec<StepLine> {
    let mut lines = Vec::new();
    let mut place: (Option<u32>, u32) = (None, 0);
    let mut at = 0_u64;
    for (number, raw) in (0..).zip(bytes.split_inclusive(|byte| *byte == b'\n').take(LINES_MAX)) {
        let len = raw.len() as u64;
        let whole = String::from_utf8_lossy(raw);
        let text = whole.trim_end_matches(['\n', '\r']);
        let mut line = StepLine {
            number,
            label: String::new(),
            text: expanded(text),
            span: Some(span.subspan(at, len)),
            points: Vec::new(),
        };
        at = at.saturating_add(len);
        let written = text.trim();
        if let Some(path) = written.strip_prefix("FILE ") {
            place.0 = Some(files.of(path.trim().trim_matches('"')));
        } else if let Some(number) = written.strip_prefix("LOC ") {
            // Line 0 is none.
            place.1 = number.trim().parse().unwrap_or(0);
        } else if is_visa_instruction(text)
            && let (Some(file), 1..) = place
        {
            files.add(&mut line, file, place.1);
        }
        lines.push(line);
    }
    lines
}

/// Whether a line of vISA is an instruction: they are indented; directives start with a dot.
fn is_visa_instruction(line: &str) -> bool {
    let written = line.trim_start();
    written.len() < line.len() && !written.starts_with(['.', '/']) && !written.ends_with(':')
}

/// Returns the columns of source files whose text is known, those with the most points first.
fn sources<'c>(
    files: &Files,
    texts: Vec<(u32, Vec<String>)>,
    columns: impl Iterator<Item = &'c StepColumn>,
) -> Vec<StepColumn> {
    let mut used: HashMap<u32, HashSet<u32>> = HashMap::default();
    let file_of: HashMap<u32, (u32, u32)> = files
        .places
        .iter()
        .map(|(place, point)| (*point, *place))
        .collect();
    let lines = columns.flat_map(|column| &column.lines);
    for point in lines.flat_map(|line| &line.points) {
        if let Some((file, line)) = file_of.get(point) {
            used.entry(*file).or_default().insert(*line);
        }
    }
    let mut found: Vec<(usize, StepColumn)> = Vec::new();
    let mut seen = HashSet::default();
    // A file that the user added comes last, and is the one that they want.
    for (file, text) in texts.into_iter().rev() {
        let count = used.get(&file).map_or(0, HashSet::len);
        if count == 0 || !seen.insert(file) {
            continue;
        }
        let path = usize::try_from(file).ok();
        let path = path.and_then(|at| files.paths.get(at)).cloned();
        let lines = (1..).zip(text).take(LINES_MAX).map(|(number, text)| {
            let point = files.places.get(&(file, number)).copied();
            StepLine {
                number,
                label: String::new(),
                text,
                span: None,
                points: point.into_iter().collect(),
            }
        });
        let column = column(StepKind::Source, path.unwrap_or_default(), lines.collect());
        found.push((count, column));
    }
    zeview_core::model::sort::by_key(&mut found, |(count, _)| std::cmp::Reverse(*count));
    found.into_iter().map(|(_, column)| column).collect()
}

/// Returns the names of a kernel's arguments, by index, as the instructions' inputs have them.
fn argument_names(document: &Document, build: &Build) -> Vec<String> {
    let detail = document.kernels(build.document).and_then(|kernels| {
        let rows = kernels.rows(&document.sources);
        let place = rows.iter().position(|row| row.name.value == build.name)?;
        kernels.detail(place, &document.sources)
    });
    let arguments = detail.map(|detail| detail.arguments).unwrap_or_default();
    let mut names = Vec::new();
    for argument in arguments {
        let Ok(at) = usize::try_from(argument.index) else {
            continue;
        };
        if at < ARGUMENTS_MAX {
            names.resize(names.len().max(at + 1), String::new());
            if let Some(name) = names.get_mut(at) {
                *name = argument.name.unwrap_or_default();
            }
        }
    }
    names
}

/// Maximum number of arguments of a kernel.
const ARGUMENTS_MAX: usize = 4096;

/// The names that lines have in common.
#[derive(Default)]
struct Names {
    /// The lines of the SPIR-V and of the code with a name, by their places in the columns.
    found: HashMap<String, [Vec<usize>; 2]>,
}

impl Names {
    fn add(&mut self, name: String, side: usize, line: usize) {
        let lines = self.found.entry(name).or_default().get_mut(side);
        if let Some(lines) = lines.filter(|lines| lines.last() != Some(&line)) {
            lines.push(line);
        }
    }

    /// Collects the names in SPIR-V: an instruction that takes an argument of the kernel itself has
    /// its name, also in a function that the argument is passed to. `names` are those of the
    /// arguments, by index.
    fn of_spirv(
        &mut self,
        document: &Document,
        module: &KernelModule,
        names: &[String],
        column: &StepColumn,
    ) {
        let sources = &document.sources;
        let lines = column.lines.iter().enumerate();
        let operations: Vec<(usize, ModuleOperation)> = lines
            .filter_map(|(at, line)| Some((at, module.text.operation(line.number, sources)?)))
            .collect();
        let mut parameters: HashMap<u32, Vec<u32>> = HashMap::default();
        let mut function = 0;
        for (_, operation) in &operations {
            match (&operation.kind, operation.result) {
                (OperationKind::Function, Some(id)) => function = id,
                (OperationKind::Parameter, Some(id)) => {
                    parameters.entry(function).or_default().push(id);
                }
                _ => {}
            }
        }
        // The arguments, by the ids of parameters. Functions come after their callers.
        let mut arguments: HashMap<u32, String> = HashMap::default();
        let kernel = module.functions.first().map_or(0, |kernel| kernel.id);
        for (at, id) in parameters.get(&kernel).into_iter().flatten().enumerate() {
            let name = names.get(at).filter(|name| !name.is_empty());
            let name = name.cloned().unwrap_or_else(|| at.to_string());
            arguments.insert(*id, format!("argument {name}"));
        }
        for (at, operation) in operations {
            let own = operation.result.iter();
            for id in own.chain(&operation.ids) {
                if let Some(name) = arguments.get(id) {
                    self.add(name.clone(), 0, at);
                }
            }
            let name = match operation.kind {
                OperationKind::Call {
                    function,
                    arguments: passed,
                } => {
                    let taken = parameters.get(&function).into_iter().flatten();
                    for (parameter, passed) in taken.zip(passed) {
                        if let Some(name) = arguments.get(&passed).cloned() {
                            arguments.entry(*parameter).or_insert(name);
                        }
                    }
                    let name = module.text.name(function, IdStyle::Names, sources);
                    format!("call {name}")
                }
                OperationKind::Barrier => BARRIER.to_owned(),
                OperationKind::Atomic => ATOMIC.to_owned(),
                OperationKind::MatrixMultiplication => MATRIX.to_owned(),
                OperationKind::Function | OperationKind::Parameter | OperationKind::Other => {
                    continue;
                }
            };
            self.add(name, 0, at);
        }
    }

    /// Collects the names in the code.
    fn of_code(&mut self, document: &Document, listing: &dyn Listing, column: &StepColumn) {
        let sources = &document.sources;
        let flows = listing.data_flow(sources);
        for (at, line) in column.lines.iter().enumerate() {
            let inputs = flows.as_ref().and_then(|flows| flows.inputs(line.number));
            for input in inputs.into_iter().flatten() {
                let is_argument = !matches!(input.from, InputKind::Symbol | InputKind::Data);
                // The field of an implicit argument, or the address of a buffer.
                let name = input.name.split(['.', '+', ' ']).next().unwrap_or_default();
                if is_argument {
                    self.add(format!("argument {name}"), 1, at);
                } else if input.from == InputKind::Symbol {
                    self.add(format!("call {}", input.name), 1, at);
                }
            }
        }
        let mut counter = Counter { names: self, at: 0 };
        listing.shapes(false, sources, &mut counter);
    }

    /// Adds the names that both have as points. Returns whether there are any.
    fn join(self, points: &mut Vec<Point>, code: &mut StepColumn, spirv: &mut StepColumn) -> bool {
        let mut both: Vec<(String, [Vec<usize>; 2])> = self
            .found
            .into_iter()
            .filter(|(_, lines)| lines.iter().all(|lines| !lines.is_empty()))
            .collect();
        zeview_core::model::sort::by_cached_key(&mut both, |(name, lines)| {
            let first = lines.first().and_then(|lines| lines.first()).copied();
            (first, name.clone())
        });
        let has = !both.is_empty();
        for (name, lines) in both {
            let point = u32::try_from(points.len()).unwrap_or(u32::MAX);
            points.push(Point::Name { name });
            for (lines, column) in lines.into_iter().zip([&mut *spirv, &mut *code]) {
                for at in lines {
                    if let Some(line) = column.lines.get_mut(at) {
                        line.points.push(point);
                    }
                }
            }
        }
        has
    }
}

const BARRIER: &str = "barrier";
const ATOMIC: &str = "atomic operation";
const MATRIX: &str = "matrix multiplication";

/// Finds the kinds of instructions.
struct Counter<'n> {
    names: &'n mut Names,
    at: usize,
}

impl Shapes for Counter<'_> {
    fn repeated(&mut self, _: i32, _: u128) -> bool {
        false
    }

    fn shape(&mut self, _: Option<u128>, shape: &Shape<'_>) -> bool {
        if shape.counts.barriers > 0 {
            self.names.add(BARRIER.to_owned(), 1, self.at);
        }
        if shape.counts.atomics > 0 {
            self.names.add(ATOMIC.to_owned(), 1, self.at);
        }
        if shape.counts.dpas > 0 {
            self.names.add(MATRIX.to_owned(), 1, self.at);
        }
        self.at += 1;
        true
    }
}
