//! `zeview diff --fail-if`: what no kernel of the second file may fulfil.

use std::collections::HashMap;
use std::rc::Rc;

use zeview::model::diff::{Change, Comparison, Part};
use zeview::model::list::query::Filter;
use zeview::model::list::{CellValue, List, ListId};
use zeview::model::text::escaped;
use zeview::model::{Document, NodeId};

use crate::output::complain;

/// A condition, with what it compares.
#[derive(Clone)]
pub struct Limit {
    filter: Filter,
    /// The places of the columns in it.
    compared: Vec<usize>,
}

pub fn limit(text: &str) -> Result<Limit, String> {
    let filter = Filter::parse_changes(text, ListId::Kernels)?;
    match filter.compared() {
        Ok(compared) if !compared.is_empty() => Ok(Limit { filter, compared }),
        Ok(_) => Err("it is empty".to_owned()),
        Err(text) => Err(format!(
            "{text:?} compares nothing: write for example spill_size increased"
        )),
    }
}

/// What became of the conditions.
#[derive(Default)]
pub struct Budget {
    /// What kernels fulfil, in words.
    met: Vec<String>,
    /// Why it could not be judged.
    open: Option<String>,
}

/// Kernels by image and name: the list, and the row.
type Places = HashMap<(String, String), (usize, u32)>;

impl Budget {
    /// Judges the kernels of the second file by the conditions.
    pub fn judge(
        limits: &[Limit],
        result: &Comparison,
        a: &mut Document,
        b: &mut Document,
    ) -> Budget {
        let mut budget = Budget::default();
        if limits.is_empty() {
            return budget;
        }
        let (before, now) = (lists(a), lists(b));
        let places = places(&before, a);
        // The names of those that are renamed, by the new ones.
        let renamed = result
            .of(Part::Kernel)
            .filter(|e| e.change == Change::Renamed);
        let renamed: HashMap<&str, &str> = renamed
            .filter_map(|entry| Some((entry.new_name.as_deref()?, entry.name.as_str())))
            .collect();
        let mut judged = 0_u64;
        for list in &now {
            for row in 0..list.count().saturating_sub(list.secondary()) {
                judged += 1;
                let name = name(&**list, row, b);
                let image = image(&**list, row);
                let old = renamed
                    .get(name.as_str())
                    .map_or(name.as_str(), |name| name);
                let place = [&image, ""]
                    .iter()
                    .find_map(|image| places.get(&((*image).to_owned(), old.to_owned())));
                let old = place.and_then(|(list, row)| Some((before.get(*list)?, *row)));
                let old = old.map(|(list, row)| (&**list, row, &a.sources));
                for limit in limits {
                    let at = (&**list, row, &b.sources);
                    if !limit.filter.holds_since(at, old) {
                        continue;
                    }
                    let said = limit.compared.iter().filter_map(|column| {
                        let id = ListId::Kernels.columns().get(*column)?.id;
                        let text = |value: CellValue<'_>| match value.text() {
                            none if none.is_empty() => "nothing".to_owned(),
                            text => escaped(&text),
                        };
                        let is = text(list.cell(row, *column, &b.sources).value);
                        Some(match old {
                            Some((list, row, sources)) => {
                                let was = text(list.cell(row, *column, sources).value);
                                format!("{id} {was} → {is}")
                            }
                            None => format!("{id} is {is}, and the kernel is new"),
                        })
                    });
                    let said: Vec<String> = said.collect();
                    let title = list.cell(row, 0, &b.sources).value.title().into_owned();
                    budget
                        .met
                        .push(format!("{}: {}", escaped(&title), said.join(", ")));
                }
            }
        }
        if judged == 0 {
            budget.open = Some("the second file has no kernels to judge".to_owned());
        } else if result.is_cut {
            budget.open = Some("not all of the files was compared".to_owned());
        }
        budget
    }

    /// Names the kernels that fail.
    pub fn say(&self) {
        for met in &self.met {
            complain!("{met}");
        }
        if let Some(open) = self.open.as_ref().filter(|_| self.met.is_empty()) {
            complain!("{open}: --fail-if cannot be judged");
        }
    }

    /// 0 if it passes, 1 if a kernel fulfils a condition, 2 if that could not be judged.
    pub fn status(&self) -> u8 {
        match (self.met.is_empty(), &self.open) {
            (false, _) => 1,
            (true, Some(_)) => 2,
            (true, None) => 0,
        }
    }
}

fn lists(document: &mut Document) -> Vec<Rc<dyn List>> {
    let list = document.list(NodeId::ROOT, ListId::Kernels, None);
    list.into_iter().collect()
}

/// The device that a kernel's image is for: the same kernel is there for several.
fn image(list: &dyn List, row: u32) -> String {
    list.path(row).to_owned()
}

fn name(list: &dyn List, row: u32, document: &Document) -> String {
    let name = list.cell(row, 0, &document.sources).value;
    name.text().into_owned()
}

fn places(lists: &[Rc<dyn List>], document: &Document) -> Places {
    let mut places = Places::new();
    for (at, list) in lists.iter().enumerate() {
        for row in 0..list.count() {
            let name = name(&**list, row, document);
            places
                .entry((image(&**list, row), name.clone()))
                .or_insert((at, row));
            places.entry((String::new(), name)).or_insert((at, row));
        }
    }
    places
}
