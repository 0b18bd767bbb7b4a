//! SYCLBINs: the SYCL runtime, syclbin.cpp, getBestCompatibleImages.

use super::{Child, Chooser, is_target, with_not_judged};
use crate::zebin::verdict::requirements::Requirements;
use zeview_core::analysis::images::SyclModules;
use zeview_core::analysis::modules::{PropertySet, compile_target};

/// The state of a SYCLBIN whose kernels are ready to run.
const EXECUTABLE: u64 = 2;

impl Chooser<'_> {
    /// The SYCL runtime takes one image per abstract module.
    pub(super) fn syclbin(&mut self, modules: &SyclModules) {
        let graph = &modules.graph;
        let is_executable = graph.state.is_none_or(|state| state.value == EXECUTABLE);
        self.rule(if is_executable {
            "the SYCL runtime takes the first native image of each abstract module, otherwise the first IR module"
        } else {
            "the SYCL runtime takes the first IR module of each abstract module, otherwise a native image"
        });
        let no_sets: &[PropertySet] = &[];
        let sets = modules.requirements.iter().map(Vec::as_slice);
        let sets = sets.chain(std::iter::repeat(no_sets));
        for (module, sets) in graph.abstract_modules.iter().zip(sets) {
            let target = compile_target(sets);
            let target = target.as_deref();
            let natives = graph.native_images_of(module).iter();
            let natives = natives.filter_map(|image| {
                let child = self.child_at(image.bytes)?;
                let triple = image.target.as_ref().map(|target| target.value.as_str());
                // Native images can be for other devices of SYCL: CUDA, HIP or CPUs.
                let is_gen = triple.is_none_or(|triple| triple.starts_with("spir64_gen"));
                Some((child, is_gen || target.is_some()))
            });
            let natives: Vec<(Child, bool)> = natives.collect();
            let irs = graph.ir_modules_of(module).iter();
            let irs: Vec<Child> = irs.filter_map(|image| self.child_at(image.bytes)).collect();
            let number = module.index;
            if let Some(target) = target.filter(|target| !is_target(target, &self.device)) {
                let why = format!("abstract module {number} is compiled for {target}");
                let natives = natives.into_iter().map(|(child, _)| child);
                for child in natives.chain(irs) {
                    self.set_reasons(child, &why);
                }
                continue;
            }
            let fits = |(child, fits): &(Child, bool)| fits.then_some(*child);
            let native = natives.iter().find_map(fits);
            // A native image without imports and exports is executable on its own.
            let native_is_in_state = is_executable || module.imports + module.exports > 0;
            let (first, why) = match (native, irs.first()) {
                (Some(native), _) if is_executable => (Some(native), "the first native image"),
                (_, Some(ir)) => (Some(*ir), "the first IR module"),
                (Some(native), None) if native_is_in_state => {
                    (Some(native), "the first native image")
                }
                _ => (None, ""),
            };
            let why = format!("{why} of abstract module {number}");
            let other = match first {
                Some(_) => format!("not {why}"),
                None => {
                    format!("no image of abstract module {number} is in the state of the SYCLBIN")
                }
            };
            let natives = natives.into_iter().map(|(child, _)| child);
            for child in natives.chain(irs) {
                self.set_reasons(child, &other);
            }
            let requirements = Requirements::of(sets, &self.device);
            match (first, &requirements.missing) {
                (Some(child), Some(missing)) => {
                    self.take_refused(child, &format!("{why}, but it {missing}"))
                }
                (Some(child), None) => {
                    self.take_child(child, &with_not_judged(&why, &requirements))
                }
                (None, _) => {}
            }
        }
    }
}
