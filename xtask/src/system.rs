//! Programs from the operating system's packages.

use crate::setup::{Need, on_path};
use crate::shell::{self, Outcome, say};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Chromium (or Chrome) and its driver.
pub struct Browser {
    pub chromium: PathBuf,
    pub driver: PathBuf,
}

/// A program, how to find it, and its Debian packages.
struct Program {
    name: &'static str,
    find: fn() -> Option<PathBuf>,
    packages: &'static [&'static str],
    need: Need,
    /// Optional: less is checked without it.
    optional: bool,
}

const PROGRAMS: &[Program] = &[
    Program {
        name: "Chromium",
        find: chromium,
        packages: &["chromium"],
        need: Need::Browser,
        optional: false,
    },
    Program {
        name: "ChromeDriver",
        find: chromedriver,
        packages: &["chromium-driver"],
        need: Need::Browser,
        optional: false,
    },
    Program {
        name: "Node.js",
        find: || on_path(&["node"]),
        packages: &["nodejs"],
        need: Need::Node,
        optional: false,
    },
    Program {
        name: "npm",
        find: npm,
        packages: &["npm"],
        need: Need::Node,
        optional: false,
    },
    Program {
        name: "Python 3",
        find: || on_path(&["python3", "python"]),
        packages: &["python3", "python3-venv"],
        need: Need::Python,
        optional: false,
    },
    Program {
        name: "the libraries of code-server",
        find: code_server_libraries,
        packages: &[
            "g++",
            "libkrb5-dev",
            "libsecret-1-dev",
            "make",
            "pkg-config",
        ],
        need: Need::CodeServer,
        optional: false,
    },
    Program {
        name: "readelf",
        find: || on_path(&["readelf"]),
        packages: &["binutils"],
        need: Need::Readelf,
        optional: true,
    },
];

/// Installs missing programs if that needs no interaction; otherwise reports them.
pub fn install_missing(needs: &[Need]) -> Outcome {
    let missing = missing(needs);
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing
        .iter()
        .flat_map(|program| program.packages)
        .copied()
        .collect();
    if let Some(apt) = Apt::find() {
        say(format!(
            "{}: missing, installed with apt-get",
            names(&missing)
        ));
        let installed = apt.install(&packages);
        if let Err(error) = installed {
            say(format!("apt-get could not install them: {error}"));
        }
    }
    report(&self::missing(needs))
}

fn missing(needs: &[Need]) -> Vec<&'static Program> {
    PROGRAMS
        .iter()
        .filter(|program| needs.contains(&program.need) && (program.find)().is_none())
        .collect()
}

fn names(programs: &[&Program]) -> String {
    let names: Vec<&str> = programs.iter().map(|program| program.name).collect();
    names.join(", ")
}

fn report(missing: &[&'static Program]) -> Outcome {
    let (optional, required): (Vec<_>, Vec<_>) =
        missing.iter().partition(|program| program.optional);
    if !optional.is_empty() {
        let names = names(&optional);
        say(format!("{names}: missing, so some comparisons are skipped"));
    }
    if required.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = required
        .iter()
        .flat_map(|program| program.packages)
        .copied()
        .collect();
    Err(format!(
        "please install {} (Debian packages: {}; CHROMIUM and CHROMEDRIVER may name the browser's programs)",
        names(&required),
        packages.join(" ")
    ))
}

/// apt-get, if it can run without a password.
struct Apt {
    sudo: bool,
}

impl Apt {
    fn find() -> Option<Self> {
        on_path(&["apt-get"])?;
        let user = shell::output(Command::new("id").arg("-u"))?;
        if user.trim() == "0" {
            return Some(Self { sudo: false });
        }
        shell::output(Command::new("sudo").args(["-n", "true"]))?;
        Some(Self { sudo: true })
    }

    fn install(&self, packages: &[&str]) -> Outcome {
        shell::run(self.command().args(["-qq", "update"]))?;
        let mut install = self.command();
        install.args(["-qq", "install", "-y", "--no-install-recommends"]);
        shell::run(install.args(packages))
    }

    fn command(&self) -> Command {
        // Use env, because sudo does not pass variables on.
        let mut command = Command::new(if self.sudo { "sudo" } else { "env" });
        if self.sudo {
            command.args(["-n", "env"]);
        }
        command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        command
    }
}

pub fn browser() -> Outcome<Browser> {
    let chromium = chromium().ok_or("Chromium is missing")?;
    let driver = chromedriver().ok_or("ChromeDriver is missing")?;
    Ok(Browser { chromium, driver })
}

fn chromium() -> Option<PathBuf> {
    const NAMES: &[&str] = &[
        "chromium",
        "google-chrome",
        "google-chrome-stable",
        "chromium-browser",
        "chrome",
    ];
    const MACOS: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    named_by("CHROMIUM")
        .or_else(|| on_path(NAMES))
        .or_else(|| Some(PathBuf::from(MACOS)).filter(|program| program.is_file()))
}

fn chromedriver() -> Option<PathBuf> {
    // GitHub's runners set this variable.
    let in_folder = || {
        let folder = env::var_os("CHROMEWEBDRIVER")?;
        let program = format!("chromedriver{}", env::consts::EXE_SUFFIX);
        Some(Path::new(&folder).join(program)).filter(|driver| driver.is_file())
    };
    named_by("CHROMEDRIVER")
        .or_else(in_folder)
        .or_else(|| on_path(&["chromedriver"]))
}

fn code_server_libraries() -> Option<PathBuf> {
    let program = on_path(&["pkg-config"])?;
    let mut query = Command::new(&program);
    query.args(["--exists", "libsecret-1", "krb5-gssapi"]);
    shell::output(&mut query)?;
    on_path(&["g++", "c++"]).filter(|_| on_path(&["make"]).is_some())
}

fn npm() -> Option<PathBuf> {
    on_path(&[if cfg!(windows) { "npm.cmd" } else { "npm" }])
}

fn named_by(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .map(PathBuf::from)
        .filter(|program| program.is_file())
}
