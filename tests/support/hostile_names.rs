//! Names that do harm if they are not escaped, and files that have them wherever a name can occur.

use std::fmt::Write as _;

use super::dwarf::{Lines, Shape};
use super::elf::{Class, Elf, Section, Symbol};
use super::hosts::Host;
use super::igc_debug::{self, Kernel};
use super::notes::{Notes, battlemage};
use super::spirv::{self, Module};
use super::syclbin::{self, Code, Entry, Offload, Syclbin, Text};
use super::{containers, dwarf_files, zebin};

/// If this starts a line, a name has started a new line.
pub const FORGED: &str = "FORGED";

/// One name of each kind.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        // Markup, and terminators of its context.
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        "</style></title><svg onload=alert(1)>",
        "\" onmouseover=\"alert(1)\" x='",
        "<a href=\"javascript:alert(1)\">x</a>&lt;b&gt;",
        "--><!-- ]]>",
        "![x](http://example.org/x.png) [y](javascript:alert(1)) | `a` **b** \\",
        // Terminal escape sequences (title, colors, cursor), in 7 and 8 bits.
        "\u{1b}]0;FORGED\u{7}",
        "\u{1b}[31m\u{1b}[2J\u{1b}[H",
        "\u{9b}31m\u{9d}0;FORGED\u{9c}",
        "\u{1}\u{8}\u{b}\u{c}\u{e}\u{1f}\u{7f}\u{85}",
        "kernel\nFORGED: loads\r\nFORGED\rFORGED",
        // Bidirectional marks, and zero-width characters.
        "\u{202e}nibez.\u{202c}\u{2066}x\u{2069}\u{61c}\u{200f}",
        "a\u{200b}b\u{200d}c\u{feff}d\u{2060}e\u{ad}f\u{2028}g\u{2029}h",
        "a\u{e0041}b\u{e007f}c\u{fe0f}d\u{115f}e\u{3164}f\u{34f}g",
        // Formulas.
        "=HYPERLINK(\"http://example.org\",\"x\")",
        "+1+cmd|' /C calc'!A0",
        "-1+1",
        "@SUM(A1)",
        "\t=1+1",
        "\r=1+1",
        "\n=1+1",
        "\u{ff1d}1+1",
        // Paths, devices, and metacharacters of tree paths, queries and addresses.
        "../../FORGED",
        "/FORGED",
        "..\\..\\FORGED",
        "..",
        "CON",
        "aux.txt",
        "-rf",
        "a/b*?[3]#2%2F",
        "and or not spill_size>0 'x",
        "#k=x&panel=problems",
        "{{x}} ${x} %s%n%00",
        // Characters that hide others or take room.
        "\u{5d0}\u{5d1}\u{5d2} \u{627}\u{644}",
        "\u{fffd}\u{d7ff}\u{e000}\u{10ffff}",
    ]
    .map(str::to_owned)
    .into();
    names.push(format!("z{}", "\u{301}\u{489}".repeat(100)));
    names
}

/// Names that are not UTF-8: invalid bytes, a lone surrogate, an overlong `../`.
const BYTES: [&[u8]; 3] = [
    b"\xff\xfe\x80\x1b[31m",
    b"\xed\xa0\x80x",
    b"\xc0\xae\xc0\xae\xc0\xaf",
];

/// Returns a YAML string in double quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            c => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// Returns `.ze_info` with kernels, functions, variables and arguments of these names.
fn ze_info(names: &[String]) -> String {
    let mut text = String::from("---\nversion:         '1.73'\n");
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    text.push_str("global_host_access_table:\n");
    for name in &names {
        let _ = write!(
            text,
            "  - device_name:     {name}\n    host_name:       {name}\n"
        );
    }
    text.push_str("functions:\n");
    for name in &names {
        let _ = write!(
            text,
            "  - name:            {name}\n    execution_env:\n      grf_count:       128\n      simd_size:       32\n"
        );
    }
    text.push_str("kernels:\n");
    for name in &names {
        text.push_str(&zebin::ze_info_kernel(name));
    }
    text.push_str("kernels_misc_info:\n");
    for name in &names {
        let _ = write!(
            text,
            "  - name:            {name}\n    args_info:\n      - index:           0\n        name:            {name}\n        address_qualifier: {name}\n        access_qualifier: {name}\n        type_name:       {name}\n        type_qualifiers: {name}\n"
        );
    }
    // An unknown key, value and type.
    for name in &names {
        let _ = writeln!(text, "{name}: {name}");
    }
    text.push_str("...\n");
    text
}

/// Returns a zebin with kernels, sections, symbols, arguments, notes and texts of these names.
pub fn zebin_of(names: &[String]) -> Elf {
    let text_of = |name: &str| format!(".text.{name}");
    let mut elf = Elf::default();
    let mut symbols = Vec::new();
    for name in names {
        let code = zebin::code(12);
        symbols.push(Symbol::new(name, 0, 2, &*text_of(name)).at(0, code.len() as u64));
        elf = elf.section(Section::new(text_of(name), 1, code).flags(6));
    }
    symbols.extend(names.iter().map(|name| Symbol::new(name, 1, 0, 0)));
    let undefined = names.len() as u64 + 1;
    elf = elf.section(Section::symbols(symbols));
    for (name, symbol) in names.iter().zip(undefined..) {
        let relocation = super::elf::Relocation {
            offset: 0x0c,
            symbol,
            kind: 2,
            addend: 0,
        };
        elf = elf.section(Section::relocations(
            &text_of(name),
            vec![relocation],
            false,
        ));
    }
    let lines = names.join("\n");
    for name in names {
        elf = elf
            .section(Section::new(name, 1, [1; 8]))
            .section(Section::new(
                format!(".visaasm.{name}"),
                0xff00_0013,
                name.as_bytes(),
            ))
            .section(Section::new(format!(".misc.{name}"), 0xff00_0014, [2; 8]));
    }
    let mut notes = Notes::new();
    for name in names {
        notes = notes.note(format!("{name}\0").as_bytes(), 1, name.as_bytes());
    }
    elf.section(Section::new(
        ".misc.buildOptions",
        0xff00_0014,
        lines.as_bytes(),
    ))
    .section(Section::new(".ze_info", 0xff00_0011, ze_info(names)))
    .section(Section::new(
        ".note.intelgt.compat",
        7,
        battlemage(Notes::new()),
    ))
    .section(Section::new(".note.others", 7, notes.build()))
}

/// Returns the same with names that are not UTF-8.
fn bytes() -> Vec<u8> {
    let mut elf = zebin::zebin(&["k"]);
    for name in BYTES {
        elf = elf.section(Section::new(name, 1, [1; 8]));
        elf = elf.section(Section::new([b".text.", name].concat(), 1, zebin::code(4)).flags(6));
    }
    let text = zebin::ze_info(&["k"]).into_bytes();
    let bad: Vec<u8> = BYTES
        .iter()
        .flat_map(|name| [b"# ", *name, b"\n"].concat())
        .collect();
    elf.bytes(".ze_info", [text, bad].concat()).build().bytes
}

/// Returns names for formats with one name per line.
fn of_one_line(names: &[String]) -> Vec<String> {
    names.iter().map(|name| name.replace('\n', " ")).collect()
}

/// Returns a SYCLBIN whose sets, properties, targets and symbols have these names.
fn syclbin_of(names: &[String]) -> Syclbin {
    let names = &of_one_line(names);
    let keys = |mut text: Text, set: &str| {
        text = text.set(set);
        names.iter().fold(text, |text, name| {
            text.number(name, 1).bytes(name, name.as_bytes())
        })
    };
    let mut made = Syclbin::small();
    for module in &mut made.modules {
        let mut text = Text::default();
        for set in [
            "SYCL/kernel names",
            "SYCL/exported symbols",
            "SYCL/imported symbols",
            "SYCL/device requirements",
        ] {
            text = keys(text, set);
        }
        module.text = names
            .iter()
            .fold(text, |text, name| text.set(name).number("x", 1));
    }
    let native = names.iter().map(|name| Code {
        text: syclbin::native_text(name, name),
        bytes: zebin::zebin(&["k"]).build().bytes,
    });
    let ir = names.iter().map(|name| Code {
        text: syclbin::ir_text(0, name),
        bytes: spirv_of(std::slice::from_ref(name)),
    });
    if let Some(module) = made.modules.first_mut() {
        module.native = native.collect();
        module.ir = ir.collect();
    }
    made
}

fn offload(names: &[String]) -> Vec<u8> {
    let entry = |name: &String| {
        Entry::of_kind(2, spirv::kernel().build())
            .string("triple", name)
            .string("arch", name)
            .string(name, name)
    };

    names
        .iter()
        .flat_map(|name| Offload::new(1, vec![entry(name)]).build())
        .collect()
}

/// Returns a module whose entry points, variables, files and strings have these names.
fn spirv_of(names: &[String]) -> Vec<u8> {
    let mut module = Module::new(1000).op(17, &[6]).op(14, &[2, 2]);
    for (name, id) in names.iter().zip(100..) {
        let file = 500 + id;
        module = module
            .op_text(10, &[], name) // OpExtension
            .op_text(15, &[6, id], name) // OpEntryPoint Kernel
            .op_text(7, &[file], name) // OpString
            .op(3, &[3, 200_000, file]) // OpSource OpenCL_C
            .op_text(5, &[id], name) // OpName
            .op_text(330, &[], name); // OpModuleProcessed
    }
    module.build()
}

fn archive(names: &[String]) -> Vec<u8> {
    let image = spirv::kernel().build();
    let mut long = Vec::new();
    let mut members = Vec::new();
    // The end of the line ends a name in the table.
    for name in of_one_line(names) {
        members.push(containers::member(&format!("/{}", long.len()), &image));
        long.extend(name.as_bytes());
        long.extend(b"/\n");
        if name.len() < 16 {
            members.push(containers::member(&format!("{name}/"), &image));
        }
    }
    members.insert(0, containers::member("//", &long));
    containers::archive(&members)
}

fn host(names: &[String]) -> Vec<u8> {
    let spirv = spirv::kernel().build();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut host = Host::new(Class::Elf64);
    let properties: Vec<(&str, u64)> = names.iter().map(|name| (*name, 1)).collect();
    let images: Vec<_> = names.iter().map(|_| host.image(&spirv)).collect();
    let entries = host.entries(&names);
    let sets = host.set("SYCL/exported symbols", &properties);
    let targets: Vec<_> = names.iter().map(|name| host.text(name)).collect();
    let mut structs = Vec::new();
    for (target, image) in targets.into_iter().zip(images) {
        structs.push(host.image_struct(3, target, image, entries, Some(sets)));
    }
    if let Some(first) = structs.first() {
        host.descriptor(*first, structs.len() as u64);
    }
    host.build()
}

fn bundle(names: &[String]) -> Vec<u8> {
    let spirv = spirv::kernel().build();
    let images: Vec<(&str, &[u8])> = names
        .iter()
        .map(|name| (name.as_str(), &spirv[..]))
        .collect();
    containers::bundle(&images)
}

fn text_bundle(names: &[String]) -> Vec<u8> {
    let text: String = of_one_line(names)
        .iter()
        .map(|id| {
            format!(
                "\n; __CLANG_OFFLOAD_BUNDLE____START__ {id}\n{id}\n; __CLANG_OFFLOAD_BUNDLE____END__ {id}\n"
            )
        })
        .collect();
    text.into_bytes()
}

fn igc_debug(names: &[String]) -> Vec<u8> {
    let kernels = names
        .iter()
        .map(|name| Kernel::named(name).visa(b"not an ELF file"));
    igc_debug::program(kernels.collect()).build()
}

fn coff(names: &[String]) -> Vec<u8> {
    let sections: Vec<(&str, &[u8])> = names
        .iter()
        .map(|name| (name.as_str(), &[1; 8][..]))
        .collect();
    containers::coff(false, &sections)
}

/// Returns a zebin whose source files and folders have these names, with a line for each.
fn with_lines(names: &[String]) -> Vec<u8> {
    let shape = Shape::version(4);
    let mut paths = shape.bytes();
    for name in names {
        paths = paths.text(name);
    }
    paths = paths.u8(0);
    for (name, folder) in names.iter().zip(1..) {
        paths = paths.text(name).uleb(folder).uleb(0).uleb(0);
    }
    paths = paths.u8(0);
    let mut opcodes = shape.bytes().set_address(0);
    for file in 1..=names.len() as u64 {
        opcodes = opcodes.set_file(file).copy().advance_pc(16);
    }
    let program = Lines::new(shape)
        .paths(paths)
        .opcodes(opcodes.end_sequence());
    let lines = dwarf_files::with_lines(program.build());
    let mut elf = zebin::zebin(&["k"]);
    elf.sections.extend(
        lines
            .sections
            .into_iter()
            .filter(|section| section.name.starts_with(b".debug")),
    );
    elf.build().bytes
}

/// Returns a name of a megabyte.
pub fn long() -> String {
    let part = "_ZTSN4sycl<b>=1,\"x\"";
    "\u{202e}z\u{301}".to_owned() + &part.repeat((1 << 20) / part.len())
}

/// Returns files with the names, with descriptions.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let names = names();
    let syclbin = syclbin_of(&names);
    vec![
        ("names.zebin", zebin_of(&names).build().bytes),
        ("bytes.zebin", bytes()),
        ("lines.zebin", with_lines(&names)),
        ("names-1.syclbin", syclbin.v1()),
        ("names-2.syclbin", syclbin.v2()),
        ("names.ob", offload(&names)),
        ("names.spv", spirv_of(&names)),
        ("names.a", archive(&names)),
        ("names.host", host(&names)),
        ("names.bundle", bundle(&names)),
        ("names.txt", text_bundle(&names)),
        ("names.dbg", igc_debug(&names)),
        ("names.obj", coff(&names)),
    ]
}

/// Returns files with a name of a megabyte: not all formats, because they are large.
pub fn long_files() -> Vec<(&'static str, Vec<u8>)> {
    let names = [long()];
    vec![
        ("long.zebin", zebin::zebin(&names).build().bytes),
        ("long.a", archive(&names)),
        ("long.host", host(&names)),
    ]
}

/// Returns the zebin whose kernels differ from those of `names.zebin` in one number each.
pub fn changed() -> Vec<u8> {
    let names = names();
    let text = ze_info(&names).replace("grf_count:       128", "grf_count:       256");
    zebin_of(&names).bytes(".ze_info", text).build().bytes
}
