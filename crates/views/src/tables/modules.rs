//! The abstract modules of a SYCLBIN.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{
    Cell, Declaration, Detail, Drawing, List, ListId, Opens, RowDetails, Tab, Words, columns,
};
use zeview_core::analysis::modules::{
    AbstractModule, Image, ModuleGraph, ModuleSymbol, Modules, PropertyOwner, PropertySet,
    requirement,
};
use zeview_core::model::{Document, NodeId, Sources, Span, Tone, sort};

type RowRef<'a> = (&'a ModuleList, &'a AbstractModule);

columns! {
    /// The columns.
    pub COLUMNS
    "module" Number Default 0 "Abstract module" "" "The number of the abstract module."
        |(_, module), _| Cell::count(module.index.into()).at(Some(module.header));
    "ir_modules" Words Default 24 "IR modules" "" "The intermediate representations of its IR modules, and their targets."
        |(list, module), _| images(list.graph.ir_modules_of(module), ir_text);
    "native_images" Words Default 24 "Native images" "" "The architectures of its native device code images, or their targets if there is no architecture."
        |(list, module), _| images(list.graph.native_images_of(module), native_text);
    "size" Number Default 0 "Size" "B" "The total size of its IR modules and native device code images in bytes."
        |(list, module), _| Cell::count(list.graph.size_of(module));
    "sets" Number Default 0 "Sets" "" "The number of property sets."
        |(_, module), _| Cell::count(module.sets.into());
    "exports" Number Default 0 "Exports" "" "The number of exported symbols."
        |(_, module), _| Cell::count(module.exports.into());
    "imports" Number Default 0 "Imports" "" "The number of imported symbols."
        |(_, module), _| Cell::count(module.imports.into());
    "aspects" Words Default 24 "Aspects" "" "The aspects that the device must support."
        |(list, module), sources| match list.requirement(module, &["aspects"], sources) {
            Some((meaning, span)) => Cell::words(tokens(&meaning)).at(Some(span)),
            None => Cell::words(std::iter::empty::<&str>()),
        };
    "reqd_work_group_size" Text Default 10 "Req. work-group" "" "The work-group size that the kernels require."
        |(list, module), sources| {
            list.required(module, &["reqd_work_group_size_uint64_t", "reqd_work_group_size"], sources)
        };
    "reqd_sub_group_size" Text Default 6 "Req. sub-group" "" "The sub-group size that the kernels require."
        |(list, module), sources| list.required(module, &["reqd_sub_group_size"], sources);
    "exported_symbols" Words Optional 24 "Exported symbols" "" "The exported symbols."
        |(list, module), _| Cell::words(list.symbols(&list.exported, |symbol| &symbol.exported_by, module));
    "imported_symbols" Words Optional 24 "Imported symbols" "" "The imported symbols."
        |(list, module), _| Cell::words(list.symbols(&list.imported, |symbol| &symbol.imported_by, module));
    "images" Words QueryOnly 24 "Images" "" "The kinds of its images, and their targets."
        |(list, module), _| {
            let images = list.graph.ir_modules_of(module).iter();
            let images = images.chain(list.graph.native_images_of(module));
            Cell::words(images.flat_map(|image| {
                let names = [&image.arch, &image.target].into_iter().flatten();
                let names = names.map(|names| &*names.value);
                [&*image.title].into_iter().chain(image.ir_type_name()).chain(names)
            }))
        };
}

/// Describes images, with their number if there are several. The cell refers to the first.
fn images<'a>(images: &'a [Image], text: fn(&'a Image) -> Cow<'a, str>) -> Cell<'a> {
    let cell = Cell::words(images.iter().map(text)).at(images.first().map(Image::place));
    match images.len() {
        0 | 1 => cell,
        count => cell.mark(Tone::Plain, count.to_string(), format!("{count} images")),
    }
}

fn ir_text(image: &Image) -> Cow<'_, str> {
    let kind = image.ir_type_name().unwrap_or("unknown");
    match image.target.as_ref().map(|target| target.value.as_str()) {
        Some(target) if !target.is_empty() => format!("{kind} {target}").into(),
        _ => kind.into(),
    }
}

fn native_text(image: &Image) -> Cow<'_, str> {
    let names = [&image.arch, &image.target].into_iter().flatten();
    let mut names = names
        .map(|names| &*names.value)
        .filter(|text| !text.is_empty());
    names.next().unwrap_or(&image.title).into()
}

/// Sorted pairs of a module's index and a symbol's index.
type Pairs = OnceCell<Vec<(u32, usize)>>;

/// Splits a text at commas.
fn tokens(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(", ").filter(|word| !word.is_empty());
    words.map(str::to_owned)
}

struct ModuleList {
    modules: Rc<dyn Modules>,
    graph: Rc<ModuleGraph>,
    /// The device requirements of the last module, because the cells of a row are requested
    /// together.
    sets: RefCell<Option<(u32, Rc<[PropertySet]>)>>,
    /// Computed on demand.
    exported: Pairs,
    imported: Pairs,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    drawing: Some(Drawing::Modules),
    tab: Some(Tab::of_code("modules", "Modules", |file| file.any.modules)),
    opens: Opens::List(ListId::Properties),
    ..Declaration::table(
        ListId::Modules,
        "modules",
        || COLUMNS,
        Words {
            title: "Modules",
            one: "abstract module",
            many: "abstract modules",
            hint: "Image, target, symbol, or size>0",
            none: "No modules.",
        },
    )
};

/// Whether a document has abstract modules.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.modules(id).is_some()
}

/// Reads the abstract modules of a document.
pub(super) fn read(document: &mut Document, id: NodeId, _: &Query) -> Option<Rc<dyn List>> {
    let modules = document.modules(id)?;
    Some(Rc::new(ModuleList {
        graph: modules.graph(&document.sources),
        modules,
        sets: RefCell::default(),
        exported: Pairs::new(),
        imported: Pairs::new(),
    }))
}

impl ModuleList {
    /// Returns the meaning of the first of these device requirements, and the bytes of its value.
    fn requirement(
        &self,
        module: &AbstractModule,
        keys: &[&str],
        sources: &Sources,
    ) -> Option<(String, Span)> {
        let known = self.sets.borrow().clone();
        let sets = match known.filter(|(of, _)| *of == module.index) {
            Some((_, sets)) => sets,
            None => {
                let owner = PropertyOwner::AbstractModule(module.index);
                let sets: Rc<[PropertySet]> = self.modules.properties(owner, sources).into();
                *self.sets.borrow_mut() = Some((module.index, Rc::clone(&sets)));
                sets
            }
        };
        let property = keys.iter().find_map(|key| requirement(&sets, key))?;
        Some((property.meaning.clone(), property.span))
    }

    fn required(&self, module: &AbstractModule, keys: &[&str], sources: &Sources) -> Cell<'_> {
        match self.requirement(module, keys, sources) {
            Some((meaning, span)) => Cell::text(meaning).at(Some(span)),
            None => Cell::empty(),
        }
    }

    fn symbols<'a>(
        &'a self,
        pairs: &'a Pairs,
        modules: fn(&ModuleSymbol) -> &Vec<u32>,
        module: &AbstractModule,
    ) -> impl Iterator<Item = &'a str> {
        let symbols = &self.graph.symbols;
        let pairs = pairs.get_or_init(|| {
            let symbols = symbols.iter().enumerate();
            let pairs = symbols
                .flat_map(|(at, symbol)| modules(symbol).iter().map(move |module| (*module, at)));
            let mut pairs: Vec<(u32, usize)> = pairs.collect();
            sort::ascending(&mut pairs);
            pairs
        });
        let module = module.index;
        let first = pairs.partition_point(|(other, _)| *other < module);
        let its = pairs.iter().skip(first);
        let its = its.take_while(move |(other, _)| *other == module);
        its.filter_map(|(_, at)| Some(&*symbols.get(*at)?.name))
    }
}

impl List for ModuleList {
    fn id(&self) -> ListId {
        ListId::Modules
    }

    fn count(&self) -> u32 {
        u32::try_from(self.graph.abstract_modules.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.graph.module(row)) {
            (Some(cell), Some(module)) => cell((self, module), sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.graph.module(row).map(|module| module.header)
    }

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let row = self.graph.module_of(self.graph.owner_at(span)?)?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, span: Span, _: &Sources) -> RowDetails {
        let owner = self.graph.owner_at(span);
        let owner = owner.filter(|owner| self.graph.module_of(*owner) == Some(row));
        let module = PropertyOwner::AbstractModule(row);
        RowDetails {
            title: self.graph.name_of(module),
            links: Vec::new(),
            detail: Detail::Module(owner.unwrap_or(module)),
        }
    }
}
