//! A value in all representations.

use yew::prelude::*;

use crate::model::text::escaped;
use crate::model::{Bits, Radix, Value};
use crate::ui::text::format;

/// A term and its definition.
#[inline(never)]
pub(super) fn entry(name: &str, text: Html) -> Html {
    html! { <><dt>{ name.to_owned() }</dt><dd>{ text }</dd></> }
}

#[inline(never)]
fn mono(text: String) -> Html {
    html! { <span class="mono">{ text }</span> }
}

/// Entries about a value; `len` is its length in bytes.
pub(super) fn value_view(value: &Value, len: Option<u64>) -> Html {
    // Numbers in text have the width of their digits.
    let binary = |bits: u8| len.is_none_or(|len| len * 8 == u64::from(bits));
    match value {
        Value::None | Value::Bytes => Html::default(),
        Value::Unsigned {
            raw,
            bits,
            radix,
            symbol,
        } => html! { <>
            { unsigned(*raw, *bits, *radix, symbol.as_deref()) }
            if binary(*bits) { { entry("Type", mono(format!("uint{bits}"))) } }
        </> },
        Value::Signed { raw, bits } => html! { <>
            { entry("Value", mono(raw.to_string())) }
            { entry("Hex", mono(format!("{:#x}", cut(*raw as u64, *bits)))) }
            if binary(*bits) { { entry("Type", mono(format!("int{bits}"))) } }
        </> },
        Value::Float(number) => entry("Value", mono(crate::ui::text::readings::float(*number))),
        Value::Bool(yes) => entry("Value", mono(yes.to_string())),
        Value::Flags {
            raw,
            bits,
            set,
            rest,
        } => flags(*raw, *bits, set, *rest),
        Value::Text { text, lossy } => html! { <>
            { entry("Value", html! { <span class="mono text">{ escaped(text) }</span> }) }
            if *lossy {
                { entry("", html! { <span class="warn">{ "▲ not valid UTF-8" }</span> }) }
            }
        </> },
    }
}

fn cut(raw: u64, bits: u8) -> u64 {
    if bits >= 64 {
        raw
    } else {
        raw & ((1 << bits) - 1)
    }
}

#[inline(never)]
fn unsigned(raw: u64, bits: u8, radix: Radix, symbol: Option<&str>) -> Html {
    let decimal = mono(format::grouped(raw));
    let hex = mono(format!("{raw:#x}"));
    let (first, (name, second)) = match radix {
        Radix::Decimal => (decimal, ("Hex", hex)),
        Radix::Hex => (hex, ("Decimal", decimal)),
    };
    html! { <>
        if let Some(symbol) = symbol {
            { entry("Value", html! { <b class="mono">{ escaped(symbol) }</b> }) }
            { entry("Raw", first) }
        } else {
            { entry("Value", first) }
        }
        if raw > 9 || radix == Radix::Hex {
            { entry(name, second) }
        }
        if raw > 1 && bits <= 32 {
            { entry("Binary", mono(binary(raw, bits))) }
        }
    </> }
}

/// `0001 0110`: in groups of four digits, as wide as the number.
pub(super) fn binary(raw: u64, bits: u8) -> String {
    let significant = 64 - raw.leading_zeros();
    let digits = significant.div_ceil(4).max(1) * 4;
    let digits = digits.min(u32::from(bits).max(significant));
    let mut out = String::new();
    for i in (0..digits).rev() {
        out.push(if raw >> i & 1 == 1 { '1' } else { '0' });
        if i > 0 && i.is_multiple_of(4) {
            out.push(' ');
        }
    }
    out
}

#[inline(never)]
fn flags(raw: u64, bits: u8, set: &[crate::model::Str], rest: u64) -> Html {
    html! { <>
        { entry("Value", mono(format!("{raw:#x}"))) }
        { entry("Flags", html! {
            <ul class="flags mono">
                { for set.iter().map(|name| html! { <li>{ &**name }</li> }) }
                if rest != 0 {
                    <li class="warn">{ format!("{rest:#x} (unknown)") }</li>
                }
                if set.is_empty() && rest == 0 {
                    <li class="dim">{ "none" }</li>
                }
            </ul>
        }) }
        if raw != 0 && bits <= 32 {
            { entry("Binary", mono(binary(raw, bits))) }
        }
        { entry("Type", mono(format!("uint{bits}, flags"))) }
    </> }
}

/// `[7:4] (4 bits)`.
pub(super) fn bits_view(bits: Option<Bits>) -> Html {
    bits.map_or_else(Html::default, |bits| {
        let count = format::counted(bits.count().into(), "bit", "bits");
        let text = match bits.count() {
            1 => bits.text().split(':').next().unwrap_or_default().to_owned(),
            _ => bits.text(),
        };
        entry("Bits", mono(format!("[{text}] ({count})")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_digits_are_grouped_by_four() {
        assert_eq!(binary(0x16, 8), "0001 0110");
        assert_eq!(binary(5, 3), "101");
        assert_eq!(binary(0, 8), "0000");
    }
}
