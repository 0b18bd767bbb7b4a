//! Formatting of numbers, sizes and kinds.

use yew::{Html, html};

use crate::model::text::{self, GROUP, value_text};
pub use crate::model::text::{counted, grouped};
use crate::model::{Area, NodeKind, Severity, Tone, Value};
use crate::tables::{self, Annotation, CellValue};

/// Distinct numbers of a group: all of them or, if many, the smallest and the largest.
pub fn several(numbers: &[f64]) -> String {
    tables::several(numbers, |number| {
        let number = CellValue::Real(number);
        let text = number.text();
        // The fraction is not grouped.
        text.parse().map_or_else(|_| text.to_string(), grouped)
    })
}

/// A value for the clipboard: without quotes and grouping.
pub fn plain_value(value: &Value) -> String {
    match value {
        Value::Text { text, .. } => text.to_string(),
        value => value_text(value),
    }
}

/// `1.9 ms`, `63 ms`: tenths for small numbers.
pub fn millis(time: f64) -> String {
    if time < 9.95 {
        return format!("{:.1} ms", time.max(0.1));
    }
    format!("{} ms", grouped((time + 0.5) as u64))
}

/// `512 B`, `21 KB`, `1.0 MB`: decimal units, without line breaks.
pub fn size(bytes: u64) -> String {
    text::size(bytes).replace(' ', GROUP.encode_utf8(&mut [0; 4]))
}

/// `1 byte`, `51 336 bytes`.
pub fn bytes(number: u64) -> String {
    counted(number, "byte", "bytes")
}

/// A share in percent, as of [`text::percent`], which does not wrap.
pub fn percent(part: u64, whole: u64) -> String {
    crate::model::text::percent(part, whole).replace(' ', &GROUP.to_string())
}

/// `12.34%` from hundredths of a percent, for sizes in style properties.
pub fn hundredths(number: u64) -> String {
    format!("{}.{:02}%", number / 100, number % 100)
}

/// A share in hundredths of a percent.
pub fn share(part: u64, whole: u64) -> u64 {
    (u128::from(part) * 10_000 / u128::from(whole.max(1))) as u64
}

/// Label of a region's color.
pub fn area_name(area: Area) -> &'static str {
    match area {
        Area::Inherit => "other",
        Area::Header => "headers",
        Area::Code => "code",
        Area::Meta => "metadata",
        Area::Data => "data",
        Area::Symbol => "symbols, strings, relocations",
        Area::Note => "notes",
        Area::Ir => "intermediate representation",
        Area::Debug => "debug information",
        Area::Padding => "padding and gaps",
    }
}

/// CSS class of a region's color.
pub fn area_class(area: Area) -> &'static str {
    match area {
        Area::Inherit => "a-other",
        Area::Header => "a-hdr",
        Area::Code => "a-code",
        Area::Meta => "a-meta",
        Area::Data => "a-data",
        Area::Symbol => "a-sym",
        Area::Note => "a-note",
        Area::Ir => "a-ir",
        Area::Debug => "a-dbg",
        Area::Padding => "a-pad",
    }
}

/// Node kind in one or two words.
pub fn kind_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::File => "file",
        NodeKind::Record => "record",
        NodeKind::Field => "field",
        NodeKind::Table => "table",
        NodeKind::Item => "entry",
        NodeKind::Instruction => "instruction",
        NodeKind::Mapping => "mapping",
        NodeKind::Sequence => "sequence",
        NodeKind::Text => "text",
        NodeKind::Blob => "bytes",
        NodeKind::Packed => "compressed bytes",
        NodeKind::Syntax => "syntax",
        NodeKind::Padding => "padding",
        NodeKind::Gap => "bytes of no known part",
        NodeKind::Derived => "derived, not in the file",
    }
}

/// Symbol of a severity, distinguishable without color.
pub fn severity_sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✕",
        Severity::Warning => "▲",
        Severity::Info => "i",
    }
}

/// CSS class of a severity's color.
pub fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "err",
        Severity::Warning => "warn",
        Severity::Info => "info",
    }
}

/// CSS class of a fact's tone.
pub fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Good => "ok",
        Tone::Warning => "warn",
        Tone::Bad => "err",
    }
}

/// CSS classes of a chip in this tone.
pub fn chip_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "chip",
        Tone::Good => "chip ok",
        Tone::Warning => "chip warn",
        Tone::Bad => "chip err",
    }
}

/// CSS class of an element in a region's color.
pub fn dot_class(area: Area) -> &'static str {
    match area {
        Area::Inherit => "dot a-other",
        Area::Header => "dot a-hdr",
        Area::Code => "dot a-code",
        Area::Meta => "dot a-meta",
        Area::Data => "dot a-data",
        Area::Symbol => "dot a-sym",
        Area::Note => "dot a-note",
        Area::Ir => "dot a-ir",
        Area::Debug => "dot a-dbg",
        Area::Padding => "dot a-pad",
    }
}

/// Swatch of a region's color.
#[inline(never)]
pub fn dot(area: Area) -> Html {
    html! { <span class={dot_class(area)} aria-hidden="true" /> }
}

/// Symbol of a severity, with its name for screen readers.
#[inline(never)]
pub fn severity_mark(severity: Severity) -> Html {
    let class = match severity {
        Severity::Error => "sev err",
        Severity::Warning => "sev warn",
        Severity::Info => "sev info",
    };
    html! {
        <span {class} role="img" aria-label={severity.name()} title={severity.name()}>{ severity_sign(severity) }</span>
    }
}

/// A badge for a value; its meaning is the tooltip.
#[inline(never)]
pub fn mark(mark: &Annotation) -> Html {
    let class = match mark.tone {
        Tone::Plain | Tone::Good => "mark",
        Tone::Warning => "mark warn",
        Tone::Bad => "mark err",
    };
    html! { <span {class} title={mark.doc.to_string()}>{ mark.text.to_string() }</span> }
}

/// Symbol of a tone, read out as `meaning`.
#[inline(never)]
pub fn tone_mark(tone: Tone, meaning: &'static str) -> Html {
    let class = match tone {
        Tone::Good => "sev ok",
        Tone::Warning => "sev warn",
        Tone::Bad => "sev err",
        Tone::Plain => "sev info",
    };
    html! {
        <span {class} role="img" aria-label={meaning} title={meaning}>{ tone_sign(tone).unwrap_or("i") }</span>
    }
}

/// Symbol of a tone; plain facts have none.
pub fn tone_sign(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Good => Some("✓"),
        Tone::Warning => Some("▲"),
        Tone::Bad => Some("✕"),
    }
}

/// Splits a long name in two; the second part survives truncation.
pub fn middle(name: &str) -> (&str, &str) {
    const KEEP: usize = 8;
    const LONG: usize = 16;
    let count = name.chars().count();
    if count <= LONG {
        return (name, "");
    }
    let at = name
        .char_indices()
        .nth(count - KEEP)
        .map_or(name.len(), |(at, _)| at);
    name.split_at(at)
}

/// Turns text into a file name.
pub fn file_name(words: [&str; 2], extension: &str) -> String {
    const LONG: usize = 60;
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let words = words.iter().filter(|word| !word.is_empty());
    let words: Vec<String> = words
        .map(|word| word.chars().take(LONG).map(plain).collect())
        .collect();
    format!("{}.{extension}", words.join("-"))
}

/// File name of an image in a file: `x.image2.ptl-h.zebin`.
pub fn image_file_name(file: &str, image: &str, device: &str, format: &str) -> String {
    let stem = match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    };
    let stem: String = stem.chars().take(30).collect();
    let image = image.strip_prefix("native device code ").unwrap_or(image);
    let image: String = image.chars().filter(|c| *c != ' ').take(30).collect();
    let parts = [stem.as_str(), &image, device];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let extension = match format {
        "spirv" => "spv",
        "zebin" | "ar" | "syclbin" => format,
        _ => "bin",
    };
    let mut name = String::new();
    for part in parts {
        name.push_str(&file_name([part, ""], ""));
    }
    name.push_str(extension);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_have_only_safe_characters() {
        assert_eq!(file_name(["a b.zebin", ""], "bin"), "a_b.zebin.bin");
        assert_eq!(file_name(["a", ".text.<k>"], "csv"), "a-.text._k_.csv");
    }

    #[test]
    fn image_file_names_have_number_and_device() {
        assert_eq!(
            image_file_name("x.syclbin", "native device code image 2", "ptl-h", "zebin"),
            "x.image2.ptl-h.zebin"
        );
        assert_eq!(
            image_file_name("libfoo.so", "image 12", "", "spirv"),
            "libfoo.image12.spv"
        );
        assert_eq!(
            image_file_name("a/b", "64.bmg", "", "raw"),
            "a_b.64.bmg.bin"
        );
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(51_336), "51\u{a0}336");
        assert_eq!(grouped(u64::MAX).chars().count(), 26);
    }

    #[test]
    fn few_milliseconds_have_tenths() {
        assert_eq!(millis(0.0), "0.1 ms");
        assert_eq!(millis(1.94), "1.9 ms");
        assert_eq!(millis(9.96), "10 ms");
        assert_eq!(millis(1234.4), "1\u{a0}234 ms");
    }

    #[test]
    fn sizes_have_two_digits() {
        assert_eq!(size(999), "999\u{a0}B");
        assert_eq!(size(1_032_976), "1.0\u{a0}MB");
        assert_eq!(size(21_400), "21\u{a0}KB");
        assert_eq!(size(5_000_000_000), "5.0\u{a0}GB");
        assert_eq!(size(u64::MAX), "18\u{a0}EB");
    }

    #[test]
    fn only_complete_shares_are_100_percent() {
        assert_eq!(percent(10, 10), "100\u{a0}%");
        assert_eq!(percent(9_999, 10_000), "99.9\u{a0}%");
        assert_eq!(percent(1, 100_000), "<\u{a0}0.1\u{a0}%");
        assert_eq!(percent(0, 5), "0.0\u{a0}%");
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        let name = "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperI6vecaddEE";
        let (start, end) = middle(name);
        assert_eq!(end.len(), 8);
        assert_eq!(format!("{start}{end}"), name);
        assert_eq!(middle(".text.vecadd"), (".text.vecadd", ""));
    }
}
