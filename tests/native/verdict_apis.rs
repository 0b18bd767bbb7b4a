//! The verdict for both APIs, compatible devices, releases of the driver, and what files require of
//! a device. The files are in `tests/fixtures/verdicts`, with their origin.

use std::path::PathBuf;

use crate::support::{containers, fixtures, open};
use zeview::analysis::images::Choice;
use zeview::analysis::{LoadOptions, Verdict};
use zeview::decode::device::Device;
use zeview::decode::device::properties::PRODUCTS;
use zeview::decode::zebin::verdict::release::Release;
use zeview::model::{Document, NodeId, Outcome};
use zeview::report::check::VerdictRow;

fn fixture(name: &str) -> Document {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/verdicts");
    open(&std::fs::read(folder.join(name)).unwrap())
}

fn verdict(name: &str, device: &str) -> Verdict {
    fixture(name).verdict(NodeId::ROOT, Some(device)).unwrap()
}

fn choice(name: &str, device: &str) -> Choice {
    let mut document = fixture(name);
    let row = VerdictRow::file(&mut document, Some(device).into());
    row.choice.unwrap().choice
}

/// Outcomes of Level Zero and OpenCL.
fn outcomes(name: &str, device: &str) -> (Outcome, Outcome) {
    let verdict = verdict(name, device);
    (verdict.outcome, verdict.opencl.outcome)
}

#[test]
fn code_runs_natively_on_compatible_devices() {
    let loads = (Outcome::Loads, Outcome::Loads);
    let refused = (Outcome::Refused, Outcome::Refused);
    for (device, expected) in [
        ("bmg-g21", loads),
        ("bmg-g31", loads),
        ("lnl-m", loads),
        ("lnl-a0", refused),
        ("ptl-h", refused),
        ("acm-g10", refused),
    ] {
        assert_eq!(outcomes("bmg-noir.zebin", device), expected, "{device}");
    }
    let matching = verdict("bmg-noir.zebin", "bmg").matching.unwrap();
    assert_eq!(matching.accepted_on, ["bmg-g21", "bmg-g31", "lnl-m"]);
    assert_eq!(matching.compatible, ["bmg-g31", "lnl-m"]);
    let remark = &verdict("bmg-noir.zebin", "lnl-m").findings[0];
    assert_eq!(remark.rule, "driver/compatible-device");
}

#[test]
fn the_cache_policy_decides_on_xe3() {
    use Outcome::{Loads, Recompiled, Refused};
    for (name, expected) in [
        ("ptl160.zebin", (Recompiled, Recompiled)),
        ("ptl160-noir.zebin", (Refused, Loads)),
        ("l1-wbp.zebin", (Recompiled, Loads)),
        ("l1-uc-noir.zebin", (Loads, Loads)),
    ] {
        assert_eq!(outcomes(name, "ptl-h"), expected, "{name}");
        assert_eq!(outcomes(name, "wcl"), expected, "{name}");
    }
    let headline = verdict("ptl160-noir.zebin", "ptl-h").headline();
    assert!(
        headline.contains("Level Zero refuses it: version 1.60"),
        "{headline}"
    );
    assert!(headline.ends_with("; OpenCL loads it"), "{headline}");
    // Older releases do not compare.
    let old = LoadOptions {
        device: Some("ptl-h"),
        release: Some("26.05"),
    };
    let old = fixture("ptl160-noir.zebin")
        .verdict_with(NodeId::ROOT, old)
        .unwrap();
    assert!(old.outcome.loads(), "{:?}", old.findings);
}

#[test]
fn xe3p_refuses_bindless_buffers() {
    let found = verdict("cri-bindless.zebin", "cri");
    assert_eq!(found.outcome, Outcome::Refused);
    assert_eq!(found.opencl.outcome, Outcome::Refused);
    let decisive = &found.findings[found.decisive.unwrap()];
    assert_eq!(decisive.rule, "driver/stateful-buffer");
}

#[test]
fn requirements_are_compared_with_the_device() {
    let missing = choice("aspect-fp64.so", "dg2");
    assert_eq!(missing.outcome, Outcome::DoesNotRun);
    assert_eq!(missing.picks[0].outcome, Some(Outcome::Recompiled));
    assert_eq!(missing.picks[1].outcome, Some(Outcome::DoesNotRun));
    let why = &missing.picks[1].why;
    assert!(
        why.starts_with("requires fp64, which acm-g10 lacks"),
        "{why}"
    );
    assert_eq!(
        choice("aspect-fp64.so", "bmg-g21").outcome,
        Outcome::Recompiled
    );
    for device in ["pvc", "bmg", "lnl-m", "ptl"] {
        let found = choice("subgroup8.so", device);
        assert_eq!(found.outcome, Outcome::DoesNotRun, "{device}");
        let why = &found.picks[0].why;
        assert!(
            why.contains("sub-group size 8") && why.contains("16, 32"),
            "{why}"
        );
    }
    assert_eq!(choice("subgroup8.so", "dg2").outcome, Outcome::Recompiled);
}

#[test]
fn imports_without_exports_are_named() {
    let found = choice("import-assert.so", "bmg-g21");
    let why = &found.picks[0].why;
    let text = "imports __assert_fail, which no image of the file exports";
    assert!(why.contains(text), "{why}");
}

/// The compiler accepts the capability: no function uses it. (Compiled with release 26.27.)
#[test]
fn a_module_without_native_code_is_judged() {
    let found = choice("unresolved.spv", "dg2");
    assert_eq!(
        (found.outcome, found.opencl),
        (Outcome::NeedsLinking, Outcome::LinkFailure)
    );
    let why = &found.picks[0].why;
    assert!(
        why.contains("capability Float64, which acm-g10 lacks"),
        "{why}"
    );
    assert!(why.contains("imports __assert_fail"), "{why}");
    assert!(
        !choice("unresolved.spv", "bmg").picks[0]
            .why
            .contains("Float64")
    );
}

#[test]
fn older_releases_do_not_know_all_keys() {
    let on = |release| {
        let options = LoadOptions {
            device: None,
            release: Some(release),
        };
        fixture("l1-uc-noir.zebin")
            .verdict_with(NodeId::ROOT, options)
            .unwrap()
    };
    let old = on("lts2");
    assert_eq!(old.driver, "25.18");
    assert_eq!(old.outcome, Outcome::Refused);
    let decisive = &old.findings[old.decisive.unwrap()];
    assert_eq!(decisive.rule, "driver/unknown-key");
    assert!(
        decisive
            .message
            .contains("driver 25.18 does not know l1_cache_policy")
    );
    // Before 24.45 an unknown key is a warning.
    let older = on("24.35");
    assert_eq!(older.outcome, Outcome::LoadsWithWarnings);
    let needed = on("26.27").needs_driver.unwrap();
    assert_eq!(
        needed.text(),
        "needs driver 26.27 or later (`l1_cache_policy`)"
    );
    assert_eq!(needed.version, "26.27.39122.10");
    assert!(
        fixture("bmg-noir.zebin")
            .verdict(NodeId::ROOT, None)
            .unwrap()
            .needs_driver
            .is_none()
    );
    let unknown = LoadOptions {
        device: None,
        release: Some("25.19"),
    };
    assert!(
        fixture("bmg-noir.zebin")
            .verdict_with(NodeId::ROOT, unknown)
            .is_none()
    );
}

#[test]
fn compatibility_grew_with_releases() {
    let on = |release| {
        let options = LoadOptions {
            device: Some("bmg-g31"),
            release: Some(release),
        };
        fixture("bmg-noir.zebin")
            .verdict_with(NodeId::ROOT, options)
            .unwrap()
    };
    assert_eq!(on("25.27").outcome, Outcome::LoadsWithWarnings);
    let old = on("25.18");
    assert_eq!(old.outcome, Outcome::Refused);
    let message = &old.findings[old.decisive.unwrap()].message;
    assert!(
        message.ends_with("compatible since release 25.27 of the driver"),
        "{message}"
    );
}

/// Each product that the driver supports has properties, and each release a name.
#[test]
fn tables_are_complete() {
    for device in Device::usual() {
        assert!(device.properties().is_some(), "{}", device.name());
    }
    for (at, product) in PRODUCTS.iter().enumerate() {
        let mut before = PRODUCTS[..at].iter();
        assert!(before.all(|known| known.product != product.product));
    }
    assert!(Release::all().any(|release| release.is_default()));
}

/// Archives of ocloc, as the driver was seen to take them on simulated devices: names of products and
/// configurations, fallbacks to compatible products, SPIR-V for devices without a member.
#[test]
fn archives_are_taken_as_the_driver_takes_them() {
    let folder = fixtures::folder();
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let mut count = 0;
    for row in include_str!("../fixtures/verdicts/archives.tsv").lines() {
        let cells: Vec<&str> = row.split('\t').collect();
        let [archive, device, level_zero, opencl] = cells[..] else {
            panic!("{row}");
        };
        let bytes = match archive.split_once('=') {
            Some((name, file)) => {
                containers::archive(&[containers::member(&format!("{name}/"), &read(file))])
            }
            None => read(archive),
        };
        let mut document = open(&bytes);
        let images = document.images_to_choose(NodeId::ROOT);
        let choice = document.choice(&images, device).unwrap();
        for (outcome, expected) in [(choice.outcome, level_zero), (choice.opencl, opencl)] {
            let is_right = match expected {
                "loads" => matches!(outcome, Outcome::Loads | Outcome::LoadsWithWarnings),
                "recompiled" => outcome == Outcome::Recompiled,
                "refused" => !outcome.loads(),
                _ => false,
            };
            assert!(
                is_right,
                "{row}: {outcome:?}, {opencl:?}",
                opencl = choice.opencl
            );
            count += 1;
        }
    }
    assert!(count >= 130, "{count}");
}
