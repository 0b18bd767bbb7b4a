//! SYCLBIN reference files: output of the reference writers, and damaged copies, each with the
//! result of the reference reader.

use std::fs;
use std::path::Path;

use crate::Test;
use crate::support::invariants::{Depth, violations};
use crate::support::watchdog::Watchdog;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use zeview::analysis::modules::{Image, Modules, PropertyOwner, PropertySet, PropertyValue};
use zeview::model::{Document, NodeId, Severity, Sources};

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[
    ("models_agree_with_the_reference_reader", models),
    ("good_files_are_explained", explained),
    ("bad_files_are_reported", reported),
    ("files_hold_the_invariants", invariants),
];

/// A line of a manifest.
struct Sample {
    name: String,
    bytes: Vec<u8>,
    /// Result of the second-generation reader, which reads both generations.
    verdict: String,
}

impl Sample {
    fn is_refused(&self) -> bool {
        self.verdict != "OK"
    }
}

fn samples(folder: &Path) -> Vec<Sample> {
    let manifest = fs::read_to_string(folder.join("MANIFEST.tsv")).expect("there is a manifest");
    let sample = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        Sample {
            name: fields[0].to_owned(),
            bytes: fs::read(folder.join(fields[0])).expect("it is there"),
            verdict: fields[5].to_owned(),
        }
    };
    let samples: Vec<Sample> = manifest.lines().skip(1).map(sample).collect();
    assert!(samples.len() > 60, "only {} samples", samples.len());
    samples
}

fn all(wrong: Vec<String>) -> Result<(), Failed> {
    match wrong.len() {
        0 => Ok(()),
        len => Err(format!("{len} files:\n{}", wrong.join("\n")).into()),
    }
}

/// Returns the model in the form of the reference reader's output.
fn as_reference(document: &Document) -> Option<Value> {
    let modules = document.modules(NodeId::ROOT)?;
    let sources = &document.sources;
    let graph = modules.graph(sources);
    let sets = |of| sets_json(modules.properties(of, sources));
    let modules_json = graph.abstract_modules.iter().map(|module| {
        let images = |range: &std::ops::Range<u32>,
                      list: &[Image],
                      of: fn(u32) -> PropertyOwner| {
            let image = |(at, image): (u32, &Image)| image_json(&*modules, of(at), image, sources);
            let images: Vec<Value> = range.clone().zip(list).map(image).collect();
            images
        };
        let (ir, native) = (&module.ir_modules, &module.native_images);
        json!({
            "metadata": sets(PropertyOwner::AbstractModule(module.index)),
            "ir": images(ir, graph.ir_modules_of(module), PropertyOwner::IrModule),
            "native": images(native, graph.native_images_of(module), PropertyOwner::NativeImage),
        })
    });
    Some(json!({
        "version": graph.version.value,
        "global": sets(PropertyOwner::Whole),
        "abstract": modules_json.collect::<Vec<_>>(),
    }))
}

fn image_json(modules: &dyn Modules, of: PropertyOwner, image: &Image, sources: &Sources) -> Value {
    json!({
        "metadata": sets_json(modules.properties(of, sources)),
        "blob": { "offset": image.bytes.start, "size": image.bytes.len() },
    })
}

fn sets_json(sets: Vec<PropertySet>) -> Vec<Value> {
    let set = |set: PropertySet| {
        let entry = |entry: zeview::analysis::modules::Property| match entry.value {
            PropertyValue::Number(number) => {
                json!({ "key": entry.key, "type": 1, "u32": number })
            }
            PropertyValue::Bytes { bits, bytes } => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                json!({ "key": entry.key, "type": 2, "bits": bits, "hex": hex })
            }
            PropertyValue::Unreadable(text) => json!({ "key": entry.key, "unreadable": text }),
        };
        let entries: Vec<Value> = set.entries.into_iter().map(entry).collect();
        json!({ "set": set.name, "props": entries })
    };
    sets.into_iter().map(set).collect()
}

/// The reference reader's answers, without what the model does not have.
fn references(folder: &Path, sample: &Sample) -> Vec<Value> {
    let stem = sample.name.split_once('.').map_or(&*sample.name, |s| s.0);
    let answers = ["reader", "reader-v1", "reader-v2"];
    let read = |answer: &str| {
        let text = fs::read(folder.join(format!("{stem}.{answer}.json"))).ok()?;
        let mut value: Value = serde_json::from_slice(&text).expect("it is JSON");
        let object = value.as_object_mut().expect("it is an object");
        object.remove("container");
        for module in object["abstract"].as_array_mut().into_iter().flatten() {
            for kind in ["ir", "native"] {
                for image in module[kind].as_array_mut().into_iter().flatten() {
                    let blob = image["blob"].as_object_mut().expect("it is one");
                    blob.remove("sha256");
                }
            }
        }
        Some(value)
    };
    answers.into_iter().filter_map(read).collect()
}

fn models(corpus: &Path) -> Result<(), Failed> {
    let folder = corpus.join("samples").join("syclbin-good");
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for sample in samples(&folder) {
        let model = as_reference(&crate::support::open(&sample.bytes));
        let references = references(&folder, &sample);
        assert_eq!(
            references.is_empty(),
            sample.is_refused(),
            "{}",
            sample.name
        );
        for reference in references {
            compared += 1;
            if model.as_ref() != Some(&reference) {
                wrong.push(sample.name.clone());
            }
        }
    }
    eprintln!("{compared} models compared");
    assert!(compared >= 60, "only {compared} models compared");
    all(wrong)
}

/// Diagnostics expected in good files, with the reason.
const EXPECTED: &[(&str, &str, &str)] = &[
    (
        "v1_",
        "syclbin/first-index-zero",
        "the first writers did not count",
    ),
    (
        "_edge_key_",
        "property-set/",
        "the writer writes keys that the reader takes for something else",
    ),
    (
        "_empty_state7",
        "syclbin/state",
        "a state that there is not",
    ),
];

fn explained(corpus: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for sample in samples(&corpus.join("samples").join("syclbin-good")) {
        let document = crate::support::open(&sample.bytes);
        for diagnostic in &document.diagnostics {
            let expected = EXPECTED.iter().any(|(name, rule, _)| {
                sample.name.contains(name) && diagnostic.rule.starts_with(rule)
            });
            if !expected && diagnostic.severity > Severity::Info {
                let message = &diagnostic.message;
                wrong.push(format!("{}: {}: {message}", sample.name, diagnostic.rule));
            }
        }
        let coverage = document.coverage;
        if coverage.gap + coverage.overlap > 0 {
            wrong.push(format!("{}: {coverage:?}", sample.name));
        }
    }
    all(wrong)
}

/// Files that the reference reader rejects and zeview accepts, with the reason.
const NO_FAULT: &[(&str, &str)] = &[(
    "bad2_magic.syclbin",
    "with another first byte it is no OffloadBinary, but bytes of an unknown format",
)];

/// Files that the reference reader accepts by mistake, with the fault.
const MISSED_BY_THE_REFERENCE: &[(&str, &str)] = &[
    // Sums of offset and size that wrap around.
    ("bad1_gmoff_max", "syclbin/out-of-bounds"),
    ("bad1_ir_mdoff_max", "syclbin/out-of-bounds"),
    ("bad1_ir_off_wrap", "syclbin/out-of-bounds"),
    ("bad1_nat_off_max", "syclbin/out-of-bounds"),
    ("bad1_mdsize_max", "syclbin/table-out-of-bounds"),
    // Headers of another array.
    ("bad1_am_ircount3", "syclbin/index-out-of-bounds"),
    ("bad1_am_iroff2", "syclbin/index-out-of-bounds"),
    // Missing bytes.
    ("bad1_txt_b64_bits_huge", "property-set/bit-count"),
    ("bad1_txt_b64_bits_more", "property-set/bit-count"),
    ("bad1_txt_b64_short", "property-set/bit-count"),
    ("bad1_txt_b64_short1", "property-set/bit-count"),
    ("bad1_txt_b64_std_order", "property-set/bit-count"),
    // A type modulo 2^32.
    ("bad1_txt_type2p32_1", "property-set/type"),
    // Images that reach past the end of their binary.
    ("bad2_hsize_m8", "offload-binary/image-out-of-bounds"),
    ("badob1_imgsize_max", "offload-binary/image-out-of-bounds"),
    ("badob1_imgsize_p8", "offload-binary/image-out-of-bounds"),
];

fn reported(corpus: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let (mut refused, mut missed) = (0, 0);
    for sample in samples(&corpus.join("samples").join("syclbin-bad")) {
        let document = crate::support::open(&sample.bytes);
        let errors: Vec<&str> = document
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| &*d.rule)
            .collect();
        let stem = sample.name.trim_end_matches(".syclbin");
        let known = MISSED_BY_THE_REFERENCE
            .iter()
            .find(|(name, _)| *name == stem);
        match (sample.is_refused(), known) {
            (true, _) => {
                refused += 1;
                let excused = NO_FAULT.iter().any(|(name, _)| *name == sample.name);
                missed += u32::from(errors.is_empty());
                if errors.is_empty() != excused {
                    wrong.push(format!("{}: {}: {errors:?}", sample.name, sample.verdict));
                }
            }
            (false, Some((_, rule))) if errors.contains(rule) => {}
            (false, None) if errors.is_empty() => {}
            (false, _) => wrong.push(format!("{}: taken, but {errors:?}", sample.name)),
        }
    }
    eprintln!("{} of {refused} faults reported", refused - missed);
    assert!(f64::from(missed) <= 0.02 * f64::from(refused), "{missed}");
    all(wrong)
}

fn invariants(corpus: &Path) -> Result<(), Failed> {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for (folder, most) in [("syclbin-good", 10_000), ("syclbin-bad", 700)] {
        for sample in samples(&corpus.join("samples").join(folder)) {
            let depth = match sample.bytes.len() {
                0..200_000 if sample.bytes.len() < most => Depth::Full,
                0..200_000 => Depth::Quick,
                _ => continue,
            };
            watchdog.case(&sample.name);
            let found = violations(&sample.bytes, depth);
            if !found.is_empty() {
                wrong.push(format!("{}:\n  {}", sample.name, found.join("\n  ")));
            }
        }
    }
    all(wrong)
}
