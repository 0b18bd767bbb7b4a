//! Containers that are read in steps: their kernels, the survey by device, and duplicates.

use std::cell::Cell as Shared;
use zeview::tables;

use zeview::analysis::survey::{Copies, Progress};
use zeview::model::text::grouped;
use zeview::model::{MemorySource, NodeId};
use zeview::tables::query::{GroupBy, Query, RowOptions};
use zeview::tables::write::Form;
use zeview::tables::{ListId, Secondary};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::{
    Envelope, HitRow, ListPage, ListReading, ListRequest, Request, Response, SearchStep,
    SurveyReport,
};

use super::cli::{stdout, temporary, zeview};
use super::images::{cell, list};
use super::kernels::ask;
use super::support::containers::{archive, member, opencl_elf};
use super::support::open;
use super::support::spirv;
use super::support::zebin::zebin;

const PLACEHOLDER: &str = "Intel_Symbol_Table_Void_Program";

/// Returns two kernels for two devices, one of them twice, with a placeholder in each, and SPIR-V.
fn library() -> Vec<u8> {
    let both = zebin(&["first", "second", PLACEHOLDER]).build().bytes;
    let one = zebin(&["second"]).build().bytes;
    archive(&[
        member("64.20.1.0/", &both),
        member("64.bmg/", &both),
        member("64.dg2/", &one),
        member("spv/", &spirv::kernel().build()),
        member("generic_ir/", &opencl_elf(0xff02)),
    ])
}

thread_local! {
    static NOW: Shared<f64> = const { Shared::new(0.0) };
}

/// A clock with which each step exceeds the time limit of a response.
fn slow() -> f64 {
    NOW.set(NOW.get() + 1000.0);
    NOW.get()
}

fn rows(handler: &mut Handler, query: &Query) -> ListPage {
    let rows = ListRequest::Rows {
        start: 0,
        count: 100,
        columns: vec!["name".into(), "image".into()],
    };
    match ask(handler, query, rows) {
        Response::List(page) => *page,
        other => panic!("{other:?}"),
    }
}

fn survey(handler: &mut Handler) -> SurveyReport {
    let survey = ListRequest::Survey {
        columns: vec!["name".into(), "device".into()],
        count: 5,
    };
    match ask(handler, &Query::default(), survey) {
        Response::Survey(report) => *report,
        other => panic!("{other:?}"),
    }
}

fn handler(clock: fn() -> f64) -> Handler {
    let mut handler = Handler::new(clock);
    handler.open(1, "library.ar", Box::new(MemorySource::from(library())));
    handler
}

#[test]
fn duplicates_are_listed_once() {
    let document = &mut open(&library());
    let kernels = list(document, ListId::Kernels);
    let secondary = Secondary {
        copies: 2,
        placeholders: 2,
        ..Secondary::default()
    };
    assert_eq!(kernels.secondary(), secondary);
    let text = |row, column| cell(document, &*kernels, row, column);
    let rows = 0..kernels.primary();
    let named: Vec<_> = rows
        .map(|row| (text(row, "name"), text(row, "image"), text(row, "copies")))
        .collect();
    let row = |name: &str, image: &str, copies: &str| {
        (name.to_owned(), image.to_owned(), copies.to_owned())
    };
    assert_eq!(
        named,
        [
            row("first", "64.20.1.0", "1"),
            row("second", "64.20.1.0", "1"),
            row("second", "64.dg2", "0"),
            row("add", "spv", "0"),
            row("add", "generic_ir", "0"),
        ]
    );
    assert_eq!(kernels.as_kernels().unwrap().names(), Some(3));
    // All of them are available on request.
    let all = Query {
        all: true,
        ..Query::default()
    };
    assert_eq!(all.run(&*kernels, &document.sources).unwrap().count(), 9);
}

#[test]
fn different_bytes_are_not_duplicates() {
    let first = zebin(&["k"]).build();
    let mut second = first.bytes.clone();
    let last = first.content(".text.k").start;
    second[last] ^= 1;
    let library = archive(&[member("64.a/", &first.bytes), member("64.b/", &second)]);
    let document = &mut open(&library);
    let kernels = list(document, ListId::Kernels);
    assert_eq!((kernels.primary(), kernels.secondary().count()), (2, 0));
}

#[test]
fn a_container_is_surveyed() {
    let report = survey(&mut handler(|| 0.0));
    assert!(report.progress.is_over());
    let survey = report.survey;
    assert_eq!(
        (survey.kernels, survey.builds, survey.only_spirv),
        (3, 3, 1)
    );
    let [bmg] = &survey.devices[..] else {
        panic!("{:?}", survey.devices)
    };
    assert_eq!((&*bmg.device, bmg.images, bmg.kernels), ("bmg-g21", 3, 2));
    // SPIR-V next to the images has another kernel.
    assert_eq!(bmg.with_spirv, 0);
    let spirv = survey.spirv.unwrap();
    let bytes = spirv::kernel().build().len() + opencl_elf(0xff02).len();
    assert_eq!(
        (spirv.images, spirv.kernels, spirv.bytes),
        (2, 1, bytes as u64)
    );
    let one = zebin(&["first", "second", PLACEHOLDER]).build().bytes.len() as u64;
    let copies = Copies {
        documents: 1,
        bytes: one,
        kernels: 2,
    };
    assert_eq!(survey.copies, copies);
}

#[test]
fn kernels_arrive_as_the_images_are_read() {
    let handler = &mut handler(slow);
    let query = Query::default();
    let first = rows(handler, &query);
    let reading = first.reading.unwrap().progress();
    assert_eq!((reading.done, first.found), (1, 2));
    let mut last = reading;
    let mut requests = 1;
    let whole = loop {
        let page = rows(handler, &query);
        requests += 1;
        match page.reading {
            None => break page,
            Some(now) => {
                let now = now.progress();
                assert!(
                    now.done >= last.done && now.of >= last.of && !now.is_over(),
                    "{now:?}"
                );
                last = now;
            }
        }
    };
    // One per image.
    assert_eq!(requests, 5);
    assert_eq!((whole.found, whole.total, whole.names), (5, 5, Some(3)));
    assert_eq!(whole.secondary.copies, 2);
    // Nothing is left to read.
    assert_eq!(rows(handler, &query).reading, None);
    assert!(survey(handler).progress.is_over());
}

/// A filter or an order that needs code is judged a few kernels at a time, after the images were read; each answer has
/// the rows that match so far.
#[test]
fn kernels_are_judged_by_their_code_step_by_step() {
    for query in [
        Query {
            filter: "instructions>0".to_owned(),
            ..Query::default()
        },
        Query {
            sort: Some("instructions".into()),
            descending: true,
            ..Query::default()
        },
    ] {
        let handler = &mut handler(slow);
        let mut analyzed = Vec::new();
        let whole = loop {
            let page = rows(handler, &query);
            match page.reading {
                None => break page,
                Some(ListReading::Images(..)) => {}
                Some(ListReading::Compared(_) | ListReading::Searched(..)) => {
                    unreachable!("nothing is compared or searched")
                }
                Some(ListReading::Code(progress)) => {
                    assert!(page.found <= progress.done, "{page:?}");
                    analyzed.push(progress.done);
                }
            }
        };
        assert!(analyzed.len() > 1 && analyzed.is_sorted(), "{analyzed:?}");
        let mut at_once = self::handler(|| 0.0);
        let mut expected = rows(&mut at_once, &query);
        while expected.reading.is_some() {
            expected = rows(&mut at_once, &query);
        }
        assert!(whole.found > 0);
        assert_eq!(whole, expected);
    }
}

#[test]
fn other_requests_continue_the_reading() {
    let handler = &mut handler(slow);
    let report = survey(handler);
    assert_eq!((report.progress.done, report.survey.builds), (1, 2));
    let sorted = Query {
        sort: Some("name".into()),
        descending: true,
        ..Query::default()
    };
    let page = rows(handler, &sorted);
    assert_eq!(page.reading.unwrap().progress().done, 2);
    // Copying the list requires all of it.
    let written = ListRequest::Written {
        columns: vec!["name".into()],
        form: Form::Csv,
        rows: None,
    };
    let Response::Text(text) = ask(handler, &Query::default(), written) else {
        panic!("no text")
    };
    assert_eq!(text, "name\nfirst\nsecond\nsecond\nadd\nadd\n");
    assert_eq!(rows(handler, &sorted).reading, None);
    let report = survey(handler);
    assert_eq!(report.survey.progress, Progress { done: 5, of: 5 });
}

fn search(handler: &mut Handler, typed: &str) -> Vec<HitRow> {
    let mut step = SearchStep::Begin;
    loop {
        let envelope = Envelope {
            id: 3,
            about: None,
            request: Request::Search {
                typed: typed.to_owned(),
                limit: 100,
                step,
            },
        };
        step = SearchStep::GoOn;
        match handler.answer(&envelope).response {
            Response::Searching { .. } => {}
            Response::Hits { hits, .. } => return hits,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn kernels_are_found_first_and_each_once() {
    let handler = &mut handler(slow);
    let hits = search(handler, "SECOND");
    assert_eq!(hits[0].text, "second");
    assert_eq!(hits[0].path, ["kernel", "bmg-g21"]);
    assert!(hits.len() > 3, "{hits:?}");
    let kernels = hits.iter().filter(|hit| hit.path[0] == "kernel");
    assert_eq!(kernels.count(), 1);
    // It leads to its entry.
    let page = rows(handler, &Query::default());
    assert!(page.rows.iter().any(|row| row.entry == hits[0].span));
}

#[test]
fn kernels_are_found_by_their_demangled_names() {
    let name = format!("_ZTS{}", "9VecFilterIiE");
    let file = zebin(&[&name]).build().bytes;
    let mut handler = Handler::new(|| 0.0);
    handler.open(1, "a.zebin", Box::new(MemorySource::from(file)));
    let hits = search(&mut handler, "VecFilter<int>");
    assert_eq!(hits[0].text, "VecFilter<int>");
}

#[test]
fn matching_part_of_a_long_name_is_shown() {
    let name = format!("{}needle{}", "a".repeat(4000), "b".repeat(4000));
    let file = zebin(&[&name]).build().bytes;
    let mut handler = Handler::new(|| 0.0);
    handler.open(1, "a.zebin", Box::new(MemorySource::from(file)));
    for hit in search(&mut handler, "needle") {
        assert!(
            hit.text.len() < 200 && hit.text.contains("needle"),
            "{hit:?}"
        );
    }
}

#[test]
fn kernels_in_groups() {
    let both = zebin(&["first", "second"]).build().bytes;
    let mut one = zebin(&["second"]).build().bytes;
    let text = b"grf_count:       128";
    let at = one.windows(text.len()).position(|bytes| bytes == text);
    let digits = at.unwrap() + text.len() - 3;
    one[digits..digits + 3].copy_from_slice(b"256");
    let bytes = archive(&[member("64.20.1.0/", &both), member("64.dg2/", &one)]);
    let mut document = open(&bytes);
    let mut groups = |by, filter: &str| {
        let query = Query {
            options: RowOptions::Kernels(by),
            filter: filter.to_owned(),
            ..Query::default()
        };
        let list = tables::list_for(&mut document, NodeId::ROOT, ListId::Kernels, &query);
        let list = list.unwrap();
        let order = query.run(&*list, &document.sources).unwrap();
        let rows = order.from(0, 100).map(|row| {
            let columns = ["name", "device", "grf_count", "simd_size"];
            columns.map(|column| cell(&document, &*list, row, column))
        });
        rows.collect::<Vec<_>>()
    };
    let texts = |rows: &[[&str; 4]]| -> Vec<[String; 4]> {
        rows.iter().map(|row| row.map(str::to_owned)).collect()
    };
    // Both are for the same device.
    let device = groups(GroupBy::Device, "")[0][0].clone();
    let first = ["first", &device, "128", "32"];
    let second = ["second", &device, "128 · 256", "32"];
    assert_eq!(groups(GroupBy::Kernel, ""), texts(&[first, second]));
    // Builds with other figures stay apart; equal ones of several images are one row.
    let other = ["second", &device, "256", "32"];
    let same = ["second", &device, "128", "32"];
    assert_eq!(groups(GroupBy::Figures, ""), texts(&[first, same, other]));
    // One matching build is enough.
    assert_eq!(groups(GroupBy::Kernel, "grf_count=256"), texts(&[second]));
    let all = [&device, &device, "128 · 256", "32"];
    assert_eq!(groups(GroupBy::Device, ""), texts(&[all]));
    let images = groups(GroupBy::Image, "");
    let registers: Vec<&str> = images.iter().map(|row| &*row[2]).collect();
    assert_eq!(registers, ["128", "256"]);
}

#[test]
fn equal_builds_are_one_row_and_hide_no_others() {
    let bytes = {
        let both = zebin(&["first", "second", PLACEHOLDER]).build().bytes;
        let one = zebin(&["second"]).build().bytes;
        archive(&[
            member("64.20.1.0/", &both),
            member("64.bmg/", &both),
            member("64.dg2/", &one),
        ])
    };
    let mut document = open(&bytes);
    let query = Query {
        options: RowOptions::Kernels(GroupBy::Figures),
        ..Query::default()
    };
    let each = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    let list = tables::list_for(&mut document, NodeId::ROOT, ListId::Kernels, &query).unwrap();
    // `second` is in two images that are no copies of each other.
    assert_eq!((each.primary(), list.primary()), (3, 2));
    assert_eq!(list.secondary(), each.secondary());
    assert!(list.secondary().copies > 0 && list.secondary().placeholders > 0);
    let rows = |list: &dyn tables::List| list.as_kernels().unwrap().names();
    assert_eq!(rows(&*list), rows(&*each));
    let images = cell(&document, &*list, 1, "image");
    let is_in = |member: &str| images.contains(member);
    assert!(is_in("64.20.1.0") && is_in("64.dg2"), "{images}");
    // A row is found from either build.
    for row in 0..each.primary() {
        let entry = each.entry(row, &document.sources).unwrap();
        let found = list.rows_at(entry, &document.sources).unwrap();
        let names = [(&each, row), (&list, found.start)];
        let [a, b] = names.map(|(list, row)| cell(&document, &**list, row, "name"));
        assert_eq!(a, b);
    }
}

#[test]
fn the_command_line_has_the_table_by_device() {
    let file = temporary("survey.ar", &library()).display().to_string();
    let text = stdout(&zeview(&[&file]));
    let words = |line: &str| -> Vec<String> {
        line.split("  ")
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let lines: Vec<Vec<String>> = text.lines().map(words).collect();
    let head = lines.iter().position(|line| line[0] == "Native code");
    let rows = &lines[head.unwrap() + 1..];
    let size = zebin(&["first", "second", PLACEHOLDER]).build().bytes.len()
        + zebin(&["second"]).build().bytes.len();
    assert_eq!(
        rows[0],
        ["bmg-g21", "3", "2", "–", "–", &grouped(size as u64), "none"]
    );
    assert_eq!(rows[1][..3], ["any other: recompiled", "2", "1"]);
    assert!(rows[2][0].starts_with("In the file more than once: 1 zebin with 2 kernels ("));

    let report = stdout(&zeview(&["report", &file]));
    let (_, table) = report.split_once("<h2>Native code</h2>").unwrap();
    let table = table.split_once("</table>").unwrap().0;
    assert!(
        table.contains("<td>bmg-g21</td><td class=\"num\">3</td><td class=\"num\">2</td>"),
        "{table}"
    );
    assert!(report.contains("have the same bytes as others for the same device."));

    // A file with its own kernels is for one device.
    let one = temporary("survey.zebin", &zebin(&["k"]).build().bytes);
    let one = one.display().to_string();
    assert!(!stdout(&zeview(&[&one])).contains("Native code"));
}
