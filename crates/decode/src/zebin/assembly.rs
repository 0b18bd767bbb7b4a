//! The code of a zebin as lists of instructions.

use std::cell::RefCell;
use std::rc::Rc;

use super::links::Links;
use super::platform;
use super::text::Instructions;
use crate::elf::ElfFile;
use crate::elf::section::SectionType;
use zeview_core::analysis::assembly::{Assembly, Listing};
use zeview_core::analysis::kernel_inputs::{InputReader, KernelInputs};
use zeview_core::analysis::kernels::Kernels;
use zeview_core::analysis::linkage::{Linkage, Tables};
use zeview_core::analysis::source_lines::CodeSection;
use zeview_core::model::{Sources, Span, Str};
use zeview_isa::{Code, Decoder, Platform};

/// The instructions of a zebin.
pub struct ZebinAssembly {
    sections: Rc<[CodeSection]>,
    instructions: Rc<Instructions>,
    inputs: Rc<InputReader>,
    /// The most recent listing, so that rows, counts and graph share it.
    last: RefCell<Option<(Option<Platform>, Rc<Code>)>>,
}

impl ZebinAssembly {
    /// The instructions of a file. Returns `None` if it has no code.
    pub fn new(
        file: &ElfFile,
        links: &Links,
        instructions: Rc<Instructions>,
        kernels: Option<Rc<dyn Kernels>>,
        linkage: Rc<Linkage>,
    ) -> Option<ZebinAssembly> {
        let is_code = |kind| kind == SectionType::SHT_PROGBITS;
        let sections = file.sections.iter().filter(|section| {
            is_code(section.kind)
                && !section.bytes.is_empty()
                && (section.name == ".text" || section.name.starts_with(".text."))
        });
        let sections = sections.map(|section| {
            let kernel = links.kernel_of(&section.name);
            CodeSection {
                name: section.name.clone(),
                bytes: section.bytes,
                kernel: kernel.map(|(name, entry)| (name.to_owned(), entry)),
            }
        });
        let sections: Rc<[CodeSection]> = sections.collect();
        let inputs = InputReader::new(Rc::clone(&sections), kernels, linkage);
        (!sections.is_empty()).then_some(ZebinAssembly {
            sections,
            instructions,
            inputs: Rc::new(inputs),
            last: RefCell::default(),
        })
    }

    /// The instructions of one section, of which nothing else is known.
    pub fn of_section(section: CodeSection, instructions: Rc<Instructions>) -> ZebinAssembly {
        let sections: Rc<[CodeSection]> = [section].into();
        let linkage = Rc::new(Linkage::new(|_| Tables::default()));
        ZebinAssembly {
            inputs: Rc::new(InputReader::new(Rc::clone(&sections), None, linkage)),
            sections,
            instructions,
            last: RefCell::default(),
        }
    }
}

impl Assembly for ZebinAssembly {
    fn sections(&self) -> Rc<[CodeSection]> {
        Rc::clone(&self.sections)
    }

    fn encoding(&self) -> Option<Str> {
        let platform = self.instructions.platform()?;
        Some(platform.name().into())
    }

    fn listing(
        &self,
        code: Span,
        encoding: Option<&str>,
        sources: &Sources,
    ) -> Result<Rc<dyn Listing>, String> {
        let own = self.instructions.platform();
        let wanted = match encoding {
            Some(name) => {
                let found = platform::named(name);
                Some(found.ok_or_else(|| platform::unknown(name))?)
            }
            None => own,
        };
        let mut last = self.last.borrow_mut();
        if let Some((platform, listing)) = &*last
            && *platform == wanted
            && listing.code() == code
        {
            return Ok(Rc::<Code>::clone(listing));
        }
        let decoder = if wanted == own {
            self.instructions.decoder().cloned()
        } else {
            wanted.map(Decoder::of)
        };
        let listing = Code::new(decoder, code, sources);
        let listing = Rc::new(listing.with_inputs(Rc::clone(&self.inputs)));
        *last = Some((wanted, Rc::clone(&listing)));
        Ok(listing)
    }

    fn inputs(&self, code: Span, sources: &Sources) -> Rc<KernelInputs> {
        Rc::new(self.inputs.read(code, sources))
    }
}
