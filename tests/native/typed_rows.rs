//! The types of rows in the npm package, from the library's columns: `src/api/rows.ts`.

use std::fs;
use std::path::Path;

use zeview::api::operations::LISTS;
use zeview::tables::{Column, ColumnKind, ListId, Presence};

/// The names of the interfaces.
fn interface(list: ListId) -> &'static str {
    match list {
        ListId::Kernels => "KernelRow",
        ListId::Relocations => "RelocationRow",
        ListId::Symbols => "SymbolRow",
        ListId::Modules => "ModuleRow",
        ListId::Images => "ImageRow",
        ListId::Devices => "DeviceRow",
        ListId::SourceLines => "SourceLineRow",
        other => panic!("{other:?} has no interface"),
    }
}

/// Columns of texts that are lists of numbers in JSON.
const NUMBER_LISTS: [&str; 1] = ["required_work_group_size"];

/// Columns of numbers that use all 64 bits also in valid files.
const WIDE: [(ListId, &str); 2] = [(ListId::Symbols, "value"), (ListId::Relocations, "addend")];

/// Returns whether rows have the column only if it is named.
fn is_on_demand(column: &Column) -> bool {
    let presence = column.presence;
    matches!(
        presence,
        Presence::Counted | Presence::Derived | Presence::Profiled
    )
}

fn type_of(list: ListId, column: &Column) -> &'static str {
    match column.kind {
        _ if column.id == "name" => "string",
        _ if NUMBER_LISTS.contains(&column.id) => "number[] | null",
        ColumnKind::Number if WIDE.contains(&(list, column.id)) => "number | bigint | null",
        ColumnKind::Number => "number | null",
        ColumnKind::Bool => "boolean | null",
        ColumnKind::Words => "string[] | null",
        ColumnKind::Text | ColumnKind::Bytes => "string | null",
    }
}

fn declarations() -> String {
    let mut out = "\
// Written by BLESS=1 cargo test --all-features --test native typed_rows, from the library's columns.

/**
 * A row of a list. Its keys are the ids of the columns. A value that the file does not state is null. Numbers beyond 2^53, which
 * otherwise only damaged files have, are `bigint`.
 */
export interface Row {
  /** Why numbers are null that the file should state, by column. */
  unknown?: Record<string, string>;
}
"
    .to_owned();
    for list in LISTS {
        let words = list.declaration().words.one;
        out += &format!("\n/** A row of `{}`: a {words}. */\n", list.name());
        out += &format!("export interface {} extends Row {{\n", interface(list));
        for column in list.columns() {
            let (mark, note) = match column.presence {
                Presence::Profiled => ("?", " Only after `profile`, if named in `columns`."),
                _ if is_on_demand(column) => ("?", " Only if named in `columns`."),
                _ => ("", ""),
            };
            let doc = column.doc.replace("*/", "* /");
            out += &format!("  /** {doc}{note} */\n");
            out += &format!("  {}{mark}: {};\n", column.id, type_of(list, column));
        }
        if list == ListId::Kernels {
            out += "  /** A metric of a profile, such as `XVE_STALL[%]`. Only after `profile`, if named in `columns`. */\n";
            out += "  [metric: `${string}[${string}]`]: number | null;\n";
        }
        out += "}\n";
    }
    out += "\n/** The rows of each list. */\nexport interface ListRows {\n";
    for list in LISTS {
        out += &format!("  {:?}: {};\n", list.name(), interface(list));
    }
    out += "}\n\n/** The columns of each list that rows have only if they are named. */\n";
    out += "export interface NamedColumns {\n";
    for list in LISTS {
        let columns = list.columns().iter().filter(|column| is_on_demand(column));
        let mut ids: Vec<String> = columns.map(|column| format!("{:?}", column.id)).collect();
        if list == ListId::Kernels {
            ids.push("`${string}[${string}]`".to_owned());
        }
        let ids = match ids.as_slice() {
            [] => "never".to_owned(),
            ids => ids.join(" | "),
        };
        out += &format!("  {:?}: {ids};\n", list.name());
    }
    out + "}\n"
}

#[test]
fn typed_rows_are_those_of_the_columns() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api/rows.ts");
    let expected = declarations();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).expect("rows.ts is writable");
    }
    let found = fs::read_to_string(&path).expect("rows.ts is readable");
    assert!(
        found == expected,
        "src/api/rows.ts is old: write it with BLESS=1"
    );
    assert!(found.contains("  spill_size: number | null;\n"));
    assert!(found.contains("  instructions?: number | null;\n"));
}
