//! SYCLBIN: SYCL device code with its metadata. Follows SYCLBINDesign.md and SYCLBIN.h of
//! intel/llvm, in both generations:
//!
//! * [`v1`]: a separate file, or the image of an [OffloadBinary](super::offload_binary):
//!   headers, a table of metadata, a table of device code;
//! * [`syclbin_v2`](super::offload_binary::syclbin_v2): an OffloadBinary whose strings give the
//!   roles of the images.
//!
//! Both give the same [`Syclbin`], and from it the same [`ModuleGraph`](zeview_core::analysis::modules::ModuleGraph).

pub(super) mod graph;
pub mod v1;

use std::rc::Rc;

use super::Context;
use super::format::{self, OpenedDocument};
use super::property_set::{self, Item};
use super::rules;
use super::text::plural;
use zeview_core::analysis::kernels::Located;
use zeview_core::analysis::modules::{Modules, Property, STATES, TITLE};
use zeview_core::model::{
    Area, Capabilities, Doc, Expand, Fact, Node, NodeKind, Rows, Sources, Span, Summary, Value,
};

/// A property set text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Its bytes.
    pub span: Span,
    /// Whether it was checked, and may be read again.
    pub checked: bool,
}

impl Text {
    /// Checks a text and reports its errors.
    pub fn check(cx: &Context<'_>, span: Span) -> Text {
        let checked = span.is_empty() || property_set::check(cx, span);
        Text { span, checked }
    }

    /// The bytes that the model is read from.
    fn readable(self) -> Span {
        if self.checked {
            self.span
        } else {
            self.span.subspan(0, 0)
        }
    }
}

/// An abstract module in the file.
#[derive(Debug)]
pub struct Module {
    /// Its header, or its entry.
    pub header: Span,
    /// Its properties.
    pub text: Text,
    /// The indices of its IR modules in [`Syclbin::ir`].
    pub ir: std::ops::Range<u32>,
    /// The indices of its images in [`Syclbin::native`].
    pub native: std::ops::Range<u32>,
}

/// An IR module or native device code image in the file.
#[derive(Debug)]
pub struct Code {
    /// Its header, or its entry.
    pub header: Span,
    /// Its properties.
    pub text: Text,
    /// The device code.
    pub bytes: Span,
    /// The device code as a document.
    pub opened: Option<OpenedDocument>,
}

/// The contents of a SYCLBIN of either generation.
pub struct Syclbin {
    /// The version of the format.
    pub version: Located<u64>,
    /// The state, if the global metadata has one.
    pub state: Option<Located<u64>>,
    /// All bytes.
    pub span: Span,
    /// The global metadata.
    pub global: Text,
    /// The abstract modules.
    pub modules: Vec<Module>,
    /// The IR modules.
    pub ir: Vec<Code>,
    /// The native device code images.
    pub native: Vec<Code>,
}

/// A part of a SYCLBIN, by its index in the [`Syclbin`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The global metadata.
    Global,
    /// The metadata of an abstract module.
    Module(u32),
    /// An IR module.
    Ir(u32),
    /// A native device code image.
    Native(u32),
}

const SOURCE: &str = "SYCLBINDesign.md";

static GLOBAL_DOC: Doc = Doc::new(
    "The metadata of the whole SYCLBIN: the state of its kernels.",
    SOURCE,
);
static MODULE_DOC: Doc = Doc::new(
    "The property sets of an abstract module, which its device binaries share: kernels, imported and exported symbols, device requirements.",
    SOURCE,
);
static IR_DOC: Doc = Doc::new(
    "Device code in an intermediate representation, compiled at run time.",
    SOURCE,
);
static NATIVE_DOC: Doc = Doc::new("Device code for one architecture.", SOURCE);
static SIZE_DOC: Doc = Doc::new(
    "The size of the metadata in bytes; the device code follows it.",
    SOURCE,
);

impl Part {
    /// The name of the part.
    pub fn name(self) -> String {
        match self {
            Part::Global => "global metadata".to_owned(),
            Part::Module(at) => format!("abstract module {at} metadata"),
            Part::Ir(at) => format!("IR module {at}"),
            Part::Native(at) => format!("native device code image {at}"),
        }
    }

    fn doc(self) -> &'static Doc {
        match self {
            Part::Global => &GLOBAL_DOC,
            Part::Module(_) => &MODULE_DOC,
            Part::Ir(_) => &IR_DOC,
            Part::Native(_) => &NATIVE_DOC,
        }
    }
}

impl Syclbin {
    /// The device code of a part. Returns `None` for a part that is metadata only.
    pub fn code(&self, part: Part) -> Option<&Code> {
        match part {
            Part::Ir(at) => self.ir.get(usize::try_from(at).ok()?),
            Part::Native(at) => self.native.get(usize::try_from(at).ok()?),
            _ => None,
        }
    }

    fn code_mut(&mut self, part: Part) -> Option<&mut Code> {
        match part {
            Part::Ir(at) => self.ir.get_mut(usize::try_from(at).ok()?),
            Part::Native(at) => self.native.get_mut(usize::try_from(at).ok()?),
            _ => None,
        }
    }

    /// The properties of a part. Returns `None` if the part does not exist.
    pub fn text(&self, part: Part) -> Option<Text> {
        match part {
            Part::Global => Some(self.global),
            Part::Module(at) => Some(self.modules.get(usize::try_from(at).ok()?)?.text),
            _ => Some(self.code(part)?.text),
        }
    }

    /// The summary of the SYCLBIN.
    pub fn summary(&self) -> Summary {
        let title = format!("{TITLE} {}", self.version.value);
        Summary::new("syclbin", title, self.facts()).with(Capabilities {
            modules: true,
            ..Capabilities::default()
        })
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Some(state) = self.state {
            let at = usize::try_from(state.value).unwrap_or(usize::MAX);
            let word = STATES.get(at).map_or_else(
                || format!("state {}", state.value),
                |word| (*word).to_owned(),
            );
            let span = state.span.unwrap_or(self.span);
            facts.push(Fact::new("state", word, span).headline());
        }
        let modules = plural(self.modules.len() as u64, "abstract module");
        facts.push(Fact::new("abstract modules", modules, self.span).headline());
        for (noun, list) in [
            ("IR module", &self.ir),
            ("native device code image", &self.native),
        ] {
            if !list.is_empty() {
                let text = plural(list.len() as u64, noun);
                let label = if noun.starts_with('I') {
                    "IR modules"
                } else {
                    "images"
                };
                facts.push(Fact::new(label, text, self.span).headline());
            }
            for (code, at) in list.iter().zip(0..16) {
                if let Some(opened) = &code.opened {
                    let text = format!("{noun} {at}: {}", opened.summary.title);
                    facts.push(Fact::new("device code", text, code.bytes));
                }
            }
        }
        facts
    }

    /// The row of an image of the second generation.
    pub fn image_node(&self, part: Part, name: String, span: Span, out: &Rows<'_>) -> Node {
        let text = self.text(part);
        let Some(code) = self.code(part) else {
            let checked = text.is_some_and(|text| text.checked);
            return property_set::node(out, name, span, checked).doc(part.doc());
        };
        let rows = out.register(Rc::new(ImageRows::new(part, span, code, out)));
        let node = Node::new(NodeKind::Record, name, span)
            .area(Area::Code)
            .children(rows, 0, None)
            .doc(part.doc());
        match &code.opened {
            Some(opened) => node.summary(opened.summary.title.clone()),
            None => node,
        }
    }

    /// The row of device code of the first generation; `span` excludes bytes of other parts.
    pub fn code_node(&self, part: Part, span: Span, out: &Rows<'_>) -> Node {
        let code = self.code(part).filter(|code| code.bytes == span);
        let opened = code.and_then(|code| code.opened.as_ref());
        format::nested_node(out.sources, part.name(), span, opened).doc(part.doc())
    }

    /// The row of a text of the first generation.
    pub fn text_node(&self, part: Part, span: Span, out: &Rows<'_>) -> Node {
        let text = self.text(part).filter(|text| text.span == span);
        let name = match part {
            Part::Global | Part::Module(_) => part.name(),
            _ => format!("{} metadata", part.name()),
        };
        let checked = text.is_some_and(|text| text.checked);
        let node = property_set::node(out, name, span, checked);
        match part {
            Part::Global | Part::Module(_) => node.doc(part.doc()),
            _ => node,
        }
    }
}

/// The rows of an image of the second generation: a size, metadata, device code.
struct ImageRows(Vec<Node>);

impl ImageRows {
    fn new(part: Part, span: Span, code: &Code, out: &Rows<'_>) -> ImageRows {
        let mut rows = Vec::new();
        let size = span.subspan(0, 8);
        let window = super::reader::Window::clamped(out.sources, size);
        if size.len() < 8 {
            rows.push(Node::new(NodeKind::Blob, "truncated image", span).value(Value::Bytes));
            return ImageRows(rows);
        }
        let number = super::reader::uint(window.bytes(), Default::default());
        rows.push(Node::field("metadata size", Value::decimal(number, 64), size).doc(&SIZE_DOC));
        if !code.text.span.is_empty() {
            let text = code.text;
            rows.push(property_set::node(out, "metadata", text.span, text.checked));
        }
        if !code.bytes.is_empty() {
            let opened = code.opened.as_ref();
            let node = format::nested_node(out.sources, "code".to_owned(), code.bytes, opened);
            rows.push(node.area(Area::Code).doc(part.doc()));
        }
        ImageRows(rows)
    }
}

impl Expand for ImageRows {
    fn count(&self, _item: u64, _sources: &Sources) -> u64 {
        self.0.len() as u64
    }

    fn rows(&self, _item: u64, range: std::ops::Range<u64>, out: &mut Rows<'_>) {
        for at in range {
            out.extend(
                usize::try_from(at)
                    .ok()
                    .and_then(|at| self.0.get(at))
                    .cloned(),
            );
        }
    }
}

/// The interface to the modules of a checked SYCLBIN.
pub fn modules(survey: Rc<Syclbin>) -> Rc<dyn Modules> {
    Rc::new(graph::Graph::new(survey))
}

/// Reads and checks the global metadata. Returns the state, or `None` if it is not a number.
pub fn read_global(cx: &Context<'_>, text: Text, place: Span) -> Option<Located<u64>> {
    let state = find(cx.sources, text, "SYCLBIN/global metadata", "state");
    let place = if text.span.is_empty() {
        place
    } else {
        text.span
    };
    let Some(state) = state else {
        cx.report(
            &rules::SYCLBIN_STATE,
            place,
            "the global metadata has no state",
        );
        return None;
    };
    let number = state.number();
    match number {
        Some(number) if number.value < 3 => {}
        Some(number) => cx.report(
            &rules::SYCLBIN_STATE,
            state.span,
            format_args!("the state is {}, not 0, 1 or 2", number.value),
        ),
        None => cx.report(
            &rules::SYCLBIN_STATE,
            state.span,
            "the state is not a number",
        ),
    }
    number
}

/// The last value of a key in a set. Returns `None` if the set does not have the key.
fn find(sources: &Sources, text: Text, set: &str, key: &str) -> Option<Property> {
    let (mut within, mut found) = (false, None);
    property_set::each(sources, text.readable(), &mut |item| match item {
        Item::Set(name, ..) => within = name == set,
        Item::Property(property) => {
            if within && property.key == key {
                found = Some(property);
            }
        }
    });
    found
}

/// Opens device code as a document and keeps its headline. Returns `None` for unknown formats.
pub fn open_code(cx: &Context<'_>, bytes: Span) -> Option<OpenedDocument> {
    if bytes.is_empty() {
        None
    } else {
        format::in_short(format::nested(cx, bytes))
    }
}
