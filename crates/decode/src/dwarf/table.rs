//! The line tables of a file as ranges of code: each row up to the next one of its sequence.
//! DWARF 5, 6.2.2 State Machine Registers.

use std::collections::HashMap;

use super::Dwarf;
use super::section::Part;
use super::sections::DebugSections;
use crate::limits;
use zeview_core::analysis::inlining::{InlinedCall, Inlining, Scope, ScopeRange};
use zeview_core::analysis::source_lines::{CodeSection, LineRow, LineTable, SourceFile, base_name};
use zeview_core::model::Sources;
use zeview_core::model::sort;

impl Dwarf {
    /// Returns whether the file has line tables.
    pub fn has_lines(&self) -> bool {
        let section = self.file.debug_section(Part::Line.name());
        section.is_some_and(|section| !section.bytes.is_empty())
    }

    /// Reads the source lines. The kernels of the code sections are left empty.
    pub fn line_table(&self, sources: &Sources) -> LineTable {
        let mut reading = Reading {
            dwarf: self,
            table: LineTable::default(),
            sections: HashMap::new(),
            files: HashMap::new(),
        };
        if let Some(sections) = self.sections(sources) {
            for number in 0..sections.programs.len() {
                reading.program(sections, number);
            }
            reading.scopes(sections);
        }
        let mut table = reading.table;
        let starts: Vec<u64> = table.sections.iter().map(|s| s.bytes.start).collect();
        sort::by_key(&mut table.inlining.ranges, |range| {
            let section = usize::try_from(range.section).ok();
            (section.and_then(|at| starts.get(at)).copied(), range.offset)
        });
        let sections = &table.sections;
        // Rows without a section come first, in the order of the programs.
        sort::by_key(&mut table.rows, |row| {
            let section = row.section.and_then(|index| usize::try_from(index).ok());
            let section = section.and_then(|index| sections.get(index));
            section.map(|section| (section.bytes.start, row.offset))
        });
        table
    }
}

struct Reading<'a> {
    dwarf: &'a Dwarf,
    table: LineTable,
    /// The indexes of sections in the table, by their index in the file.
    sections: HashMap<u64, Option<u32>>,
    /// The indexes of files in the table.
    files: HashMap<SourceFile, u32>,
}

impl Reading<'_> {
    /// Adds the rows of a program.
    fn program(&mut self, all: &DebugSections, number: usize) {
        let mut files = HashMap::new();
        // The current row, whose end is not known yet, with its section's index if known.
        let mut open: Option<(Option<u64>, LineRow)> = None;
        all.each_row(number, |row, entry| {
            let code = match all.code_of(&row) {
                Some((section, offset)) => Some((Some(section), offset)),
                None => all
                    .address_without_section(&row)
                    .map(|address| (None, address)),
            };
            if let Some((section, before)) = open.take()
                && let Some((_, end)) = code.filter(|(other, _)| *other == section)
            {
                self.add(section, before, end);
            }
            let Some((section, offset)) = code.filter(|_| !row.end && row.line > 0) else {
                return;
            };
            let file = *files.entry(row.file).or_insert_with(|| {
                let path = all.file(number, row.file).unwrap_or_default();
                self.file(row.file, all.directory(number, row.file), &path)
            });
            let small = |raw: u64| u32::try_from(raw).unwrap_or(u32::MAX);
            let row = LineRow {
                section: None,
                offset,
                len: 0,
                file,
                line: small(row.line),
                column: small(row.column),
                discriminator: small(row.discriminator),
                entry,
            };
            open = Some((section, row));
        });
    }

    /// Adds a row that ends at an offset.
    fn add(&mut self, section: Option<u64>, row: LineRow, end: u64) {
        // The last of several rows with the same address counts.
        let Some(len) = end.checked_sub(row.offset).filter(|len| *len > 0) else {
            return;
        };
        if self.table.rows.len() >= limits::LINKAGE {
            self.table.left_out += 1;
            return;
        }
        let Some(section) = section else {
            self.table.rows.push(LineRow { len, ..row });
            return;
        };
        if let Some(section) = self.section(section) {
            self.table.rows.push(LineRow {
                section: Some(section),
                len,
                ..row
            });
        }
    }

    /// Returns the index in the table of the section with this index in the file.
    fn section(&mut self, section: u64) -> Option<u32> {
        let (dwarf, table) = (self.dwarf, &mut self.table);
        *self.sections.entry(section).or_insert_with(|| {
            let section = dwarf.file.section(section)?;
            let place = u32::try_from(table.sections.len()).ok()?;
            table.sections.push(CodeSection {
                name: section.name.clone(),
                bytes: section.bytes,
                kernel: None,
            });
            Some(place)
        })
    }

    /// Adds the functions, and the calls that are inlined into them.
    fn scopes(&mut self, all: &DebugSections) {
        let found = all.scopes();
        let mut inlining = Inlining {
            left_out: found.left_out,
            ..Inlining::default()
        };
        let mut files: HashMap<(usize, u64), u32> = HashMap::new();
        let small = |raw: u64| u32::try_from(raw).unwrap_or(u32::MAX);
        for scope in found.list {
            let call = scope.caller.map(|caller| {
                // File 0 is none before DWARF 5; there, it is a file of the list.
                let file = scope
                    .file
                    .filter(|(number, file)| *file > 0 || all.file(*number, *file).is_some());
                let file = file.map(|(number, file)| {
                    *files.entry((number, file)).or_insert_with(|| {
                        let path = all.file(number, file).unwrap_or_default();
                        self.file(file, all.directory(number, file), &path)
                    })
                });
                InlinedCall {
                    caller,
                    file,
                    line: small(scope.line),
                    column: small(scope.column),
                    discriminator: small(scope.discriminator),
                }
            });
            inlining.scopes.push(Scope {
                function: scope.function,
                call,
                entry: scope.entry,
            });
        }
        for (section, ranges) in found.ranges {
            let Some(section) = self.section(section) else {
                continue;
            };
            inlining
                .ranges
                .extend(ranges.iter().map(|(start, end, scope)| ScopeRange {
                    section,
                    offset: *start,
                    len: end - start,
                    scope: *scope,
                }));
        }
        self.table.inlining = inlining;
    }

    /// Returns the index of the file with this number in its program, directory and path.
    fn file(&mut self, number: u64, directory: String, path: &str) -> u32 {
        let name = base_name(path);
        let within = path.strip_suffix(name).unwrap_or("");
        let within = within.trim_end_matches(['/', '\\']);
        let is_named = super::line::is_named(name);
        let file = SourceFile {
            name: match (name, is_named) {
                ("", _) => format!("file {number}"),
                (name, true) => name.to_owned(),
                (name, false) => format!("file {name}"),
            },
            is_named,
            directory: match (directory.as_str(), within) {
                (_, "") => directory,
                ("", _) => within.to_owned(),
                _ if within.starts_with(['/', '\\']) => within.to_owned(),
                _ => format!("{directory}/{within}"),
            },
        };
        let table = &mut self.table;
        *self.files.entry(file).or_insert_with_key(|file| {
            table.files.push(file.clone());
            u32::try_from(table.files.len() - 1).unwrap_or(u32::MAX)
        })
    }
}
