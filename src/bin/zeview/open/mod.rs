//! `zeview open`: serves the page and files to a browser on this machine.

mod body;
mod page;
mod server;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use zeview::model::text::escaped;

use self::page::Page;
use self::server::Server;
use crate::FileArgument;
use crate::output::{self, complain};

#[derive(Args)]
#[command(after_long_help = "\
The server listens on 127.0.0.1 only, under a path that cannot be guessed, and serves only the \
page and these files. It exits when the last tab of the page is closed, or on Ctrl-C.\n\n\
The page comes from --page, else from the command line itself (feature `page`), else from the \
folder `page` beside the program, or `../share/zeview`.\n\n\
Exit status: 0, or 2 if there is no page, or a file cannot be read.")]
pub struct Options {
    /// The files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<FileArgument>,
    /// Compare the second file with the first.
    #[arg(long)]
    compare: bool,
    /// The release folder of the page, as built by `cargo xtask dist`.
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
    /// Print the address without opening a browser.
    #[arg(long)]
    no_browser: bool,
    /// The port; 0 selects any free port.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let fail = |why: &dyn std::fmt::Display| {
        complain!("{why}");
        Ok(ExitCode::from(2))
    };
    if options.compare && options.files.len() != 2 {
        return fail(&"--compare takes two files");
    }
    for file in &options.files {
        // Pipes cannot be read again when the page is reloaded.
        let there = std::fs::metadata(file);
        match there {
            Ok(there) if there.is_file() => {}
            Ok(_) => return fail(&format_args!("{}: not a file", file.display())),
            Err(error) => return fail(&format_args!("{}: {error}", file.display())),
        }
    }
    let page = match Page::find(options.page.as_deref()) {
        Ok(page) => page,
        Err(why) => return fail(&why),
    };
    let server = match Server::start(page, options.files.clone(), options.port) {
        Ok(server) => server,
        Err(why) => return fail(&why),
    };
    let address = server.address(options.compare);
    let is_open = !options.no_browser && open::that_detached(&address).is_ok();
    let mut out = output::text();
    if is_open {
        writeln!(out, "opened in the browser: {}", escaped(&address))?
    } else {
        writeln!(out, "{}", escaped(&address))?
    }
    out.flush()?;
    server.run();
    Ok(ExitCode::SUCCESS)
}
