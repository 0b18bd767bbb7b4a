//! The server of the page and the files.
//!
//! Who does not know its path gets nothing, and neither does another site whose name leads to this
//! machine: the address is part of what is compared.

use std::fs::File;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tiny_http::{Header, Method, Request, Response, ResponseBox, StatusCode};

use super::page::Page;

/// How often a tab is asked whether it is still there; and how long after the last one was closed
/// the server ends: a page that is loaded anew is away for a moment.
const BEAT: Duration = Duration::from_secs(1);
const AWAY: Duration = Duration::from_secs(3);

/// Keeps a connection as long as the tab is there.
const ALIVE: &str = "new EventSource(\"alive\");\n";

/// The server, before it runs.
pub struct Server {
    http: tiny_http::Server,
    shared: Arc<Shared>,
}

struct Shared {
    page: Page,
    files: Vec<PathBuf>,
    /// The first part of each path, which cannot be guessed.
    token: String,
    /// `127.0.0.1` and the port.
    host: String,
    /// The tabs that are open, and how many there were in all.
    tabs: AtomicUsize,
    seen: AtomicUsize,
}

impl Server {
    /// Begins to listen on this machine only.
    ///
    /// # Errors
    ///
    /// When that cannot be; says why in words.
    pub fn start(page: Page, files: Vec<PathBuf>, port: u16) -> Result<Server, String> {
        let http = tiny_http::Server::http((Ipv4Addr::LOCALHOST, port));
        let http = http.map_err(|error| format!("cannot listen on 127.0.0.1: {error}"))?;
        let address = http.server_addr().to_ip();
        let address = address.ok_or("cannot listen on 127.0.0.1")?;
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|error| format!("no random numbers: {error}"))?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Server {
            http,
            shared: Arc::new(Shared {
                page,
                files,
                token,
                host: address.to_string(),
                tabs: AtomicUsize::new(0),
                seen: AtomicUsize::new(0),
            }),
        })
    }

    /// The address of the page with the files, or with the second compared with the first.
    pub fn address(&self, compare: bool) -> String {
        let shared = &self.shared;
        let files = shared.files.iter().enumerate();
        let links = files.map(|(place, file)| {
            let key = match (compare, place) {
                (false, _) => "url",
                (true, 0) => "a",
                (true, _) => "b",
            };
            format!("{key}=files/{place}/{}", encoded(&name(file)))
        });
        let links: Vec<String> = links.collect();
        format!(
            "http://{}/{}/?{}",
            shared.host,
            shared.token,
            links.join("&")
        )
    }

    /// Answers until the last tab is closed.
    pub fn run(self) {
        loop {
            match self.http.recv_timeout(AWAY) {
                Ok(Some(request)) => {
                    let shared = Arc::clone(&self.shared);
                    thread::spawn(move || shared.answer(request));
                }
                Ok(None) if self.shared.is_over() => return,
                Ok(None) => {}
                Err(_) => return,
            }
        }
    }
}

impl Shared {
    /// There was a tab, and there is none any more.
    fn is_over(&self) -> bool {
        self.seen.load(Ordering::SeqCst) > 0 && self.tabs.load(Ordering::SeqCst) == 0
    }

    fn answer(&self, request: Request) {
        // Whoever has gone away does not miss the answer.
        let _ = match self.path(&request) {
            Some("alive") => {
                self.stay(request);
                Ok(())
            }
            Some(path) => match self.found(path) {
                Some(response) => request.respond(response),
                None => request.respond(Response::empty(404)),
            },
            None => request.respond(Response::empty(404)),
        };
    }

    /// What is asked for; nothing if it is not for us.
    fn path<'r>(&self, request: &'r Request) -> Option<&'r str> {
        let mut headers = request.headers().iter();
        let host = headers.find(|header| header.field.equiv("Host"))?;
        let is_ours = host.value.as_str() == self.host;
        let is_read = matches!(request.method(), Method::Get | Method::Head);
        let (path, _) = request.url().split_once('?').unwrap_or((request.url(), ""));
        let path = path.strip_prefix('/')?.strip_prefix(&*self.token)?;
        path.strip_prefix('/').filter(|_| is_ours && is_read)
    }

    fn found(&self, path: &str) -> Option<ResponseBox> {
        if let Some(rest) = path.strip_prefix("files/") {
            let (place, _) = rest.split_once('/')?;
            let file = self.files.get(place.parse::<usize>().ok()?)?;
            let response = Response::from_file(File::open(file).ok()?);
            return Some(with_headers(response.boxed(), "application/octet-stream"));
        }
        let bytes = match path {
            "alive.js" => ALIVE.as_bytes().to_vec(),
            "" | "index.html" => {
                let page = self.page.get("")?;
                let page = String::from_utf8_lossy(&page);
                page.replacen("</head>", "<script src=\"./alive.js\"></script></head>", 1)
                    .into_bytes()
            }
            path => self.page.get(path)?.into_owned(),
        };
        let kind = kind(path);
        Some(with_headers(Response::from_data(bytes).boxed(), kind))
    }

    /// Counts a tab until it is gone.
    fn stay(&self, request: Request) {
        self.seen.fetch_add(1, Ordering::SeqCst);
        self.tabs.fetch_add(1, Ordering::SeqCst);
        let mut writer = request.into_writer();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
        let mut beat = |text: &str| -> io::Result<()> {
            writer.write_all(text.as_bytes())?;
            writer.flush()
        };
        if beat(head).is_ok() {
            // A comment, which the page does not see.
            while beat(":\n\n").is_ok() {
                thread::sleep(BEAT);
            }
        }
        self.tabs.fetch_sub(1, Ordering::SeqCst);
    }
}

fn with_headers(response: ResponseBox, kind: &str) -> ResponseBox {
    let headers = [
        ("Content-Type", kind),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ];
    let headers = headers.into_iter();
    let headers = headers.filter_map(|(field, value)| Header::from_bytes(field, value).ok());
    headers
        .fold(response, |response, header| response.with_header(header))
        .with_status_code(StatusCode(200))
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        None | Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

fn name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

/// As it stands in an address.
fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            true => out.push(char::from(byte)),
            // The page reads its query, and the address in it is read again.
            false => out.push_str(&format!("%25{byte:02X}")),
        }
    }
    out
}
