//! Code without a container, such as the kernels that oneDNN dumps: one kernel, in an encoding that
//! the user selects.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

#[cfg(not(target_arch = "wasm32"))]
use crate::code_figures;
use crate::code_figures::mix;
use crate::context::Context;
use crate::format::OpenedDocument;
use crate::zebin::assembly::ZebinAssembly;
use crate::zebin::text::{Code as CodeRows, Instructions};
use zeview_core::analysis::assembly::{Assembly, Listing, Mix};
use zeview_core::analysis::data_flow::FlowCounts;
#[cfg(not(target_arch = "wasm32"))]
use zeview_core::analysis::kernels::{CodeFigures, CodeResult, CodeTask};
use zeview_core::analysis::kernels::{KernelDetail, KernelRow, Kernels, Located, Payload};
use zeview_core::analysis::occupancy::{Occupancy, OccupancyParameters};
use zeview_core::analysis::source_lines::CodeSection;
use zeview_core::model::{Capabilities, Expand, Fact, Interfaces, Rows, Sources, Span, Summary};
use zeview_isa::{Code, Platform};

/// The identifier of the format.
pub const FORMAT: &str = "code";

/// Opens the bytes as the code of one kernel.
pub fn open(cx: &Context<'_>, span: Span, name: &str, platform: Platform) -> OpenedDocument {
    let kernel = kernel_name(name);
    let encoding = Fact::new("encoding", platform.name(), None);
    let facts = vec![
        encoding.headline(),
        Fact::new(Fact::KERNELS, format!("1 kernel: {kernel}"), span),
    ];
    let document = RawCode::new(span, kernel, platform);
    let count = document.rows.len();
    OpenedDocument {
        summary: Summary::new(FORMAT, "code without a container", facts).with(Capabilities {
            kernels: true,
            code: true,
            ..Capabilities::default()
        }),
        content: Some((cx.register(Rc::new(document)), 0, Some(count))),
    }
}

/// The name of the kernel in a file of code: the file's name, without the parts that oneDNN adds
/// (`dnnl_dump_gpu_gemm_kernel.0.bin`).
pub fn kernel_name(file: &str) -> &str {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = base.strip_suffix(".bin").unwrap_or(base);
    let Some(name) = stem.strip_prefix("dnnl_dump_gpu_") else {
        return stem;
    };
    match name.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// A file of code.
struct RawCode {
    rows: CodeRows,
    kernels: Rc<RawKernels>,
    assembly: Rc<ZebinAssembly>,
}

impl RawCode {
    fn new(span: Span, name: &str, platform: Platform) -> RawCode {
        let instructions = Rc::new(Instructions::new(Some(platform)));
        let section = CodeSection {
            name: format!(".text.{name}"),
            bytes: span,
            kernel: Some((name.to_owned(), span)),
        };
        let kernels = Rc::new(RawKernels {
            code: span,
            name: name.to_owned(),
            instructions: Rc::clone(&instructions),
            rows: OnceCell::new(),
            mix: RefCell::default(),
            flow: RefCell::default(),
        });
        RawCode {
            rows: CodeRows::of_bytes(name, span, &instructions),
            assembly: Rc::new(ZebinAssembly::of_section(section, instructions)),
            kernels,
        }
    }
}

impl Expand for RawCode {
    fn count(&self, item: u64, sources: &Sources) -> u64 {
        self.rows.count(item, sources)
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        self.rows.rows(item, range, out);
    }

    fn index_at(&self, item: u64, offset: u64, sources: &Sources) -> Option<Vec<u64>> {
        self.rows.index_at(item, offset, sources)
    }

    fn interfaces(&self, item: u64) -> Interfaces {
        if item != 0 {
            return Interfaces::default();
        }
        Interfaces {
            kernels: Some(Rc::clone(&self.kernels) as Rc<dyn Kernels>),
            assembly: Some(Rc::clone(&self.assembly) as Rc<dyn Assembly>),
            ..Interfaces::default()
        }
    }
}

/// The kernel of a file of code.
struct RawKernels {
    code: Span,
    name: String,
    instructions: Rc<Instructions>,
    rows: OnceCell<Rc<Vec<KernelRow>>>,
    mix: RefCell<Option<Rc<Mix>>>,
    flow: RefCell<Option<FlowCounts>>,
}

impl RawKernels {
    fn code_listing(&self, sources: &Sources) -> Option<Code> {
        let decoder = self.instructions.decoder()?;
        Some(Code::new(Some(Rc::clone(decoder)), self.code, sources))
    }
}

impl Kernels for RawKernels {
    fn count(&self) -> u64 {
        1
    }

    fn has_native(&self, name: &str) -> bool {
        name == self.name
    }

    fn rows(&self, _: &Sources) -> Rc<Vec<KernelRow>> {
        let rows = self.rows.get_or_init(|| {
            Rc::new(vec![KernelRow {
                name: Located {
                    value: self.name.clone(),
                    span: None,
                },
                demangled: crate::demangle::demangle(&self.name),
                entry: self.code,
                is_undescribed: true,
                code_size: Some(Located::at(self.code.len(), self.code)),
                ..KernelRow::default()
            }])
        });
        Rc::clone(rows)
    }

    fn mentions(&self, _: &KernelRow, _: &Sources) -> Vec<Span> {
        Vec::new()
    }

    fn detail(&self, place: usize, sources: &Sources) -> Option<KernelDetail> {
        Some(KernelDetail {
            row: self.rows(sources).get(place)?.clone(),
            user_attributes: Vec::new(),
            execution_env: Vec::new(),
            arguments: Vec::new(),
            payload: Payload::default(),
            per_thread_payload: Vec::new(),
            binding_table: Vec::new(),
            memory_buffers: Vec::new(),
            inline_samplers: Vec::new(),
            others: Vec::new(),
            links: Vec::new(),
        })
    }

    fn code(&self, name: &str) -> Option<Span> {
        (name == self.name).then_some(self.code)
    }

    fn listing(&self, name: &str, sources: &Sources) -> Option<Rc<dyn Listing>> {
        if name != self.name {
            return None;
        }
        Some(Rc::new(self.code_listing(sources)?))
    }

    fn mix(&self, name: &str, sources: &Sources) -> Option<(Span, Rc<Mix>)> {
        if name != self.name {
            return None;
        }
        let known = self.mix.borrow().clone();
        let mix = match known {
            Some(mix) => mix,
            None => {
                let mix = Rc::new(mix(&self.code_listing(sources)?, sources));
                *self.mix.borrow_mut() = Some(Rc::clone(&mix));
                mix
            }
        };
        Some((self.code, mix))
    }

    fn flow(&self, name: &str, sources: &Sources) -> Option<(Span, FlowCounts)> {
        if name != self.name {
            return None;
        }
        let known = *self.flow.borrow();
        let flow = match known {
            Some(flow) => flow,
            None => {
                let flow = self.code_listing(sources)?.data_flow(sources)?.counts();
                *self.flow.borrow_mut() = Some(flow);
                flow
            }
        };
        Some((self.code, flow))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn code_task(&self, name: &str, is_flow: bool, sources: &Sources) -> Option<CodeTask> {
        let is_known = if is_flow {
            self.flow.borrow().is_some()
        } else {
            self.mix.borrow().is_some()
        };
        let platform = self.instructions.platform()?;
        if is_known || name != self.name {
            return None;
        }
        code_figures::task(platform, self.code, is_flow, sources)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn keep_result(&self, CodeResult { figures, .. }: CodeResult) {
        match figures {
            CodeFigures::Mix(mix) => *self.mix.borrow_mut() = Some(Rc::from(mix)),
            CodeFigures::Flow(counts) => *self.flow.borrow_mut() = Some(*counts),
        }
    }

    fn occupancy(
        &self,
        _: usize,
        _: &OccupancyParameters,
        _: &Sources,
    ) -> Result<Occupancy, String> {
        Err(
            "The occupancy is unknown: code without a container does not state its registers and \
             memory."
                .to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_dumps_are_names_of_kernels() {
        for (file, name) in [
            ("dnnl_dump_gpu_gemm_kernel.0.bin", "gemm_kernel"),
            ("dumps/dnnl_dump_gpu_conv.v2.12.bin", "conv.v2"),
            ("kernel.bin", "kernel"),
            ("a.b.dat", "a.b.dat"),
        ] {
            assert_eq!(kernel_name(file), name);
        }
    }
}
