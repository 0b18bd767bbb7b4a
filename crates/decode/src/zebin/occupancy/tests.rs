use super::*;
use zeview_core::model::SourceId;

fn located(value: i64) -> Located<i64> {
    Located::at(value, Span::with_len(SourceId::FILE, 0, 1))
}

struct Kernel {
    simd: i64,
    registers: i64,
    slm: i64,
    barriers: i64,
    local_arguments: bool,
}

const PLAIN: Kernel = Kernel {
    simd: 16,
    registers: 128,
    slm: 0,
    barriers: 0,
    local_arguments: false,
};

impl Kernel {
    fn row(&self) -> KernelRow {
        let set = |value: i64| {
            if value > 0 {
                located(value)
            } else {
                Located::default()
            }
        };
        KernelRow {
            simd_size: located(self.simd),
            grf_count: located(self.registers),
            slm_size: set(self.slm),
            barrier_count: set(self.barriers),
            ..KernelRow::default()
        }
    }

    fn ask(&self, parameters: &OccupancyParameters) -> Occupancy {
        let facts = Facts {
            row: &self.row(),
            has_local_arguments: self.local_arguments,
            own: TargetDevice::None,
        };
        occupancy(&facts, parameters).unwrap()
    }

    fn on(&self, device: &'static str, work_group: u64) -> Occupancy {
        self.ask(&OccupancyParameters {
            device: Some(device.into()),
            work_group: Some(work_group),
            ..OccupancyParameters::default()
        })
    }
}

fn threads(device: &'static str, registers: i64) -> Option<u64> {
    let kernel = Kernel { registers, ..PLAIN };
    kernel.on(device, 16).get("threads_per_eu")
}

#[test]
fn threads_of_an_eu_by_registers() {
    for (device, expected) in [
        ("tgllp", [(128, Some(7)), (256, Some(4))].as_slice()),
        ("dg1", &[(128, Some(7)), (256, Some(4))]),
        ("adl-n", &[(128, Some(7)), (256, Some(4)), (64, None)]),
        ("dg2", &[(128, Some(8)), (256, Some(4)), (512, None)]),
        ("mtl", &[(128, Some(8)), (256, Some(4))]),
        ("pvc", &[(128, Some(8)), (256, Some(4))]),
        ("bmg-g21", &[(128, Some(8)), (256, Some(4)), (160, None)]),
        ("lnl-m", &[(128, Some(8)), (256, Some(4))]),
        (
            "ptl-h",
            &[
                (32, Some(10)),
                (96, Some(10)),
                (128, Some(8)),
                (160, Some(6)),
                (192, Some(5)),
                (256, Some(4)),
                (320, None),
            ],
        ),
        (
            "nvl-p-b0",
            &[
                (96, Some(10)),
                (320, Some(3)),
                (448, Some(2)),
                (512, Some(1)),
            ],
        ),
        (
            "nvl-p-a0",
            &[(256, Some(4)), (320, None), (448, None), (512, Some(1))],
        ),
        (
            "cri",
            &[(32, Some(8)), (256, Some(8)), (512, Some(4)), (100, None)],
        ),
        ("icllp", &[(128, None)]),
        ("40.1.2", &[(128, None)]),
    ] {
        for (registers, expected) in expected {
            assert_eq!(
                threads(device, *registers),
                *expected,
                "{device} {registers}"
            );
        }
    }
}

#[test]
fn larger_register_files_of_devices() {
    type Sizes = &'static [(u64, u64)];
    let cases: [(&str, i64, Sizes); 8] = [
        // Threads of Xe-LP have 128 registers.
        ("tgllp", 128, &[]),
        ("dg2", 128, &[(256, 4)]),
        ("mtl-u", 128, &[(256, 4)]),
        ("pvc", 128, &[(256, 4)]),
        ("pvc", 256, &[]),
        ("ptl-h", 128, &[(160, 6), (192, 5), (256, 4)]),
        ("nvl-p-b0", 256, &[(320, 3), (448, 2), (512, 1)]),
        ("skl", 128, &[]),
    ];
    for (device, registers, expected) in cases {
        let found = Kernel { registers, ..PLAIN }.on(device, 16).larger_files;
        let found: Vec<(u64, u64)> = found.iter().map(|of| (of.registers, of.threads)).collect();
        assert_eq!(found, expected, "{device} {registers}");
    }
    // 100 live and 60 spilled registers of 64 bytes; without spills, there is no question.
    let ptl = Kernel {
        registers: 128,
        ..PLAIN
    }
    .on("ptl-h", 16);
    let found = ptl.larger_file(100, 60 * 64, 64).unwrap();
    assert_eq!(
        (found.needed, found.registers, found.fits),
        (160, 160, true)
    );
    assert_eq!((found.threads, found.threads_now), (6, Some(8)));
    let found = ptl.larger_file(100, 60 * 64 + 1, 64).unwrap();
    assert_eq!(
        (found.needed, found.registers, found.fits),
        (161, 192, true)
    );
    let found = ptl.larger_file(100, 200 * 64, 64).unwrap();
    assert_eq!(
        (found.needed, found.registers, found.fits),
        (300, 256, false)
    );
    assert_eq!(ptl.larger_file(100, 0, 64), None);
}

#[test]
fn fewer_registers_allow_more_threads() {
    for (device, registers, more) in [
        ("tgllp", 128, None),
        ("tgllp", 256, Some((128, 7))),
        ("dg2", 128, None),
        ("dg2", 256, Some((128, 8))),
        ("pvc", 256, Some((128, 8))),
        ("bmg-g21", 160, None),
        ("ptl-h", 96, None),
        ("ptl-h", 128, Some((96, 10))),
        ("ptl-h", 160, Some((128, 8))),
        ("ptl-h", 256, Some((192, 5))),
        ("nvl-p-b0", 512, Some((448, 2))),
        ("nvl-p-a0", 512, Some((256, 4))),
        ("cri", 256, None),
        ("cri", 512, Some((256, 8))),
        ("skl", 128, None),
    ] {
        let kernel = Kernel { registers, ..PLAIN };
        let found = kernel.on(device, 16).more_threads;
        let found = found.map(|more| (more.registers, more.threads));
        assert_eq!(found, more, "{device} {registers}");
    }
    // By definition: no number in between allows more.
    for registers in 1..=512 {
        let Some(now) = threads("nvl-p-b0", registers) else {
            continue;
        };
        let kernel = Kernel { registers, ..PLAIN };
        let more = kernel.on("nvl-p-b0", 16).more_threads;
        let larger = (1..registers)
            .rev()
            .find(|fewer| threads("nvl-p-b0", *fewer) > Some(now));
        assert_eq!(
            more.map(|more| i64::try_from(more.registers).unwrap()),
            larger,
            "{registers}"
        );
    }
    let found = Kernel {
        registers: 256,
        ..PLAIN
    }
    .on("dg2", 256);
    assert!(found.summary.starts_with("With 256 registers, an EU of acm-g10 runs 4 of its 8 threads, and 8 with 128 registers."), "{}", found.summary);
}

#[test]
fn threads_limit_the_work_groups() {
    // 16 EUs × 8 threads; 256 / 16 = 16 threads of a work-group.
    let found = PLAIN.on("dg2", 256);
    assert_eq!(found.get("threads"), Some(128));
    assert_eq!(found.get("work_group_threads"), Some(16));
    assert_eq!(found.get("work_groups"), Some(8));
    assert_eq!(found.get("threads_used"), Some(128));
    assert!(found.term("work_groups_by_threads").unwrap().limits);
    let expected = "With 128 registers, an EU of acm-g10 runs all its 8 threads. A sub-slice runs \
                    8 work-groups of 256 at a time, limited by threads: 128 of 128 hardware threads (100 %).";
    assert_eq!(found.summary, expected);
    // Half the threads: 64 / 16; the other half of the hardware is idle.
    let found = Kernel {
        registers: 256,
        ..PLAIN
    }
    .on("dg2", 256);
    assert_eq!(found.get("work_groups"), Some(4));
    assert_eq!(found.get("hardware_threads"), Some(128));
    assert!(found.summary.contains("runs 4 of its 8 threads"));
    assert!(found.summary.contains("64 of 128 hardware threads (50 %)"));
    // 16 × 7 = 112 threads; 1024 / 8 = 128 do not fit.
    let found = Kernel { simd: 8, ..PLAIN }.on("tgllp", 1024);
    assert_eq!(found.get("work_groups"), Some(0));
    assert!(found.summary.contains("does not fit: limited by threads"));
    // 100 work-items: 7 threads, rounded up. 8 × 8 / 7.
    let found = PLAIN.on("pvc", 100);
    assert_eq!(found.get("work_group_threads"), Some(7));
    assert_eq!(found.get("work_groups"), Some(9));
    let found = PLAIN.on("pvc", 2048);
    assert!(
        found
            .summary
            .ends_with("at most 1024 work-items in a work-group.")
    );
}

#[test]
fn local_memory_limits_the_work_groups() {
    // 20 KB are 32 KB on Xe-HPG (powers of two) and 24 KB on Xe-HPC.
    let kernel = Kernel {
        slm: 20 << 10,
        ..PLAIN
    };
    let found = kernel.on("dg2", 64);
    assert_eq!(found.get("slm_allocated"), Some(32 << 10));
    assert_eq!(found.get("work_groups_by_slm"), Some(2));
    assert_eq!(found.get("work_groups"), Some(2));
    assert!(
        found
            .summary
            .contains("limited by shared local memory: 8 of 128")
    );
    assert!(!found.term("work_groups_by_threads").unwrap().limits);
    let found = kernel.on("pvc", 64);
    assert_eq!(found.get("slm_allocated"), Some(24 << 10));
    assert_eq!(found.get("work_groups"), Some(5));
    // 384 KB / 24 KB; 8 threads per EU, whose number must be chosen.
    let found = kernel.on("cri", 64);
    assert_eq!(found.get("work_groups_by_slm"), Some(16));
    assert_eq!(found.get("work_groups"), None);
    assert!(
        found
            .summary
            .contains("Choose the EUs of a (dual) sub-slice to see")
    );
    let found = Kernel { slm: 2500, ..PLAIN }.on("cri", 64);
    assert_eq!(found.get("slm_allocated"), Some(3 << 10));
    let found = Kernel {
        slm: 100 << 10,
        ..PLAIN
    }
    .on("dg2", 64);
    assert_eq!(found.get("work_groups"), Some(0));
    assert!(
        found
            .summary
            .contains("does not fit: limited by shared local memory")
    );
}

#[test]
fn barriers_limit_the_work_groups() {
    // 32 / 3 = 10; the threads allow 128.
    let found = Kernel {
        barriers: 3,
        ..PLAIN
    }
    .on("dg2", 16);
    assert_eq!(found.get("work_groups_by_barriers"), Some(10));
    assert_eq!(found.get("work_groups"), Some(10));
    assert!(found.summary.contains("limited by barriers: 10 of 128"));
    // Both allow 32.
    let found = Kernel {
        barriers: 1,
        ..PLAIN
    }
    .on("dg2", 64);
    assert!(found.summary.contains("limited by threads and barriers"));
}

#[test]
fn unknown_values_are_requested() {
    let found = PLAIN.ask(&OccupancyParameters::default());
    assert_eq!(found.summary, "The file has no target device: choose one.");
    assert_eq!(found.get("threads_per_eu"), None);
    let of = |device: &'static str| OccupancyParameters {
        device: Some(device.into()),
        ..OccupancyParameters::default()
    };
    let found = PLAIN.ask(&of("bmg-g21"));
    assert_eq!(found.get("eus"), Some(8));
    assert_eq!(found.term("eus").unwrap().origin, Origin::Published);
    assert!(
        found
            .summary
            .contains("Choose the work-items of a work-group to see")
    );
    // A chosen number overrides the published one.
    let found = PLAIN.ask(&OccupancyParameters {
        eus: Some(4),
        work_group: Some(64),
        ..of("bmg-g21")
    });
    assert_eq!(found.term("eus").unwrap().origin, Origin::Chosen);
    assert_eq!(found.get("work_groups"), Some(8));
    for device in ["nvl-s", "nvl-p", "cri", "wcl"] {
        assert_eq!(PLAIN.ask(&of(device)).get("eus"), None, "{device}");
    }
    assert_eq!(
        PLAIN.ask(&of("skl")).summary,
        "The limits of skl are unknown."
    );
    // The host sets the size of a local argument.
    let kernel = Kernel {
        local_arguments: true,
        ..PLAIN
    };
    let found = kernel.on("dg2", 64);
    assert_eq!(found.get("work_groups"), None);
    assert!(
        found
            .summary
            .contains("Choose the shared local memory of the arguments to see")
    );
    let with = |bytes| {
        let found = kernel.ask(&OccupancyParameters {
            work_group: Some(64),
            local_arguments: Some(bytes),
            ..of("dg2")
        });
        found.get("work_groups")
    };
    assert_eq!((with(0), with(16 << 10)), (Some(32), Some(4)));
    // Invalid numbers in the file do not limit anything.
    let row = KernelRow {
        simd_size: located(-16),
        barrier_count: located(-1),
        ..PLAIN.row()
    };
    let facts = Facts {
        row: &row,
        has_local_arguments: false,
        own: TargetDevice::CoreFamily,
    };
    let parameters = OccupancyParameters {
        work_group: Some(u64::MAX),
        eus: Some(u64::MAX),
        ..of("dg2")
    };
    assert_eq!(
        occupancy(&facts, &parameters).unwrap().get("work_groups"),
        None
    );
    let found = occupancy(&facts, &OccupancyParameters::default()).unwrap();
    assert_eq!(
        found.summary,
        "The file has only a core family: choose a device."
    );
    assert!(occupancy(&facts, &of("nothing")).is_err());
}
