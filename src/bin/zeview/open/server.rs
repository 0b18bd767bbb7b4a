//! HTTP server for the page and the files.
//!
//! Each path starts with a secret token, and the `Host` header must match the address. Other users
//! and DNS rebinding therefore get nothing.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use super::body::{Body, Tabs};
use super::page::Page;

/// Delay between closing the last tab and ending the server: a page that is reloaded is gone for a
/// moment.
const AWAY: Duration = Duration::from_secs(3);
/// Timeout for the head of a request; idle connections are closed after this time.
const HEAD: Duration = Duration::from_secs(30);
/// Interval at which open tabs are counted.
const POLL: Duration = Duration::from_millis(500);

/// Keeps a connection open as long as the tab.
const ALIVE: &str = "new EventSource(\"alive\");\n";

/// The server before it runs.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    shared: Rc<Shared>,
}

struct Shared {
    page: Page,
    files: Vec<PathBuf>,
    /// First part of each path: a random token.
    token: String,
    /// `127.0.0.1` and the port.
    host: String,
    tabs: Rc<Tabs>,
}

impl Server {
    /// Starts to listen, on this machine only.
    ///
    /// # Errors
    ///
    /// Fails with a message if the port is not available.
    pub fn start(page: Page, files: Vec<PathBuf>, port: u16) -> Result<Server, String> {
        let cannot_listen = |error: io::Error| format!("cannot listen on 127.0.0.1: {error}");
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(cannot_listen)?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
        let listener = listener.map_err(cannot_listen)?;
        let address: SocketAddr = listener.local_addr().map_err(cannot_listen)?;
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|error| format!("no random numbers: {error}"))?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Server {
            runtime,
            listener,
            shared: Rc::new(Shared {
                page,
                files,
                token,
                host: address.to_string(),
                tabs: Rc::default(),
            }),
        })
    }

    /// Returns the address of the page with the files; with `compare`, of the comparison.
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

    /// Serves requests until the last tab is closed.
    pub fn run(self) {
        let Server {
            runtime,
            listener,
            shared,
        } = self;
        let tabs = Rc::clone(&shared.tabs);
        let connections = LocalSet::new();
        connections.spawn_local(accept(listener, shared));
        connections.block_on(&runtime, async {
            while !tabs.closed_for(AWAY) {
                tokio::time::sleep(POLL).await;
            }
        });
    }
}

/// Serves connections concurrently.
async fn accept(listener: TcpListener, shared: Rc<Shared>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many connections are open: wait for some to close.
            tokio::time::sleep(AWAY).await;
            continue;
        };
        let shared = Rc::clone(&shared);
        tokio::task::spawn_local(async move {
            let answer = service_fn(|request: Request<Incoming>| {
                let answer = shared.answer(&request);
                async { Ok::<_, Infallible>(answer) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), answer);
            // Errors mean that the client has gone.
            let _ = connection.await;
        });
    }
}

impl Shared {
    fn answer(&self, request: &Request<Incoming>) -> Response<Body> {
        let is_head = *request.method() == Method::HEAD;
        let found = self.path(request);
        let found = found.and_then(|path| self.found(path, is_head));
        let (status, content_type, body) = match found {
            Some((content_type, body)) => (StatusCode::OK, content_type, body),
            None => (StatusCode::NOT_FOUND, "text/plain", Body::from(Vec::new())),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = [
            (header::CONTENT_TYPE, content_type),
            (header::CACHE_CONTROL, "no-store"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (
                header::HeaderName::from_static("cross-origin-resource-policy"),
                "same-origin",
            ),
        ];
        for (name, value) in headers {
            let value = HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        response
    }

    /// Returns the requested path, or `None` if token or host do not match.
    fn path<'r>(&self, request: &'r Request<Incoming>) -> Option<&'r str> {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        // A request has exactly one host (RFC 9112, section 3.2).
        let is_ours = hosts.next()?.as_bytes() == self.host.as_bytes() && hosts.next().is_none();
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        let path = request.uri().path().strip_prefix('/')?;
        let path = path.strip_prefix(&*self.token)?;
        path.strip_prefix('/').filter(|_| is_ours && is_read)
    }

    fn found(&self, path: &str, is_head: bool) -> Option<(&'static str, Body)> {
        if let Some(rest) = path.strip_prefix("files/") {
            let (place, _) = rest.split_once('/')?;
            let file = self.files.get(place.parse::<usize>().ok()?)?;
            let body = Body::file(File::open(file).ok()?).ok()?;
            return Some(("application/octet-stream", body));
        }
        let bytes = match path {
            // A tab reads the response; a HEAD request does not come from one.
            "alive" if is_head => Vec::new(),
            "alive" => return Some(("text/event-stream", Body::keep_alive(&self.tabs))),
            "alive.js" => ALIVE.as_bytes().to_vec(),
            "" | "index.html" => {
                let page = self.page.get("")?;
                let page = String::from_utf8_lossy(&page);
                // A file of its own: the page's Content-Security-Policy forbids inline scripts.
                page.replacen("</head>", "<script src=\"./alive.js\"></script></head>", 1)
                    .into_bytes()
            }
            path => self.page.get(path)?.into_owned(),
        };
        let content_type = match path {
            "alive" => "text/event-stream",
            path => content_type(path),
        };
        Some((content_type, Body::from(bytes)))
    }
}

fn content_type(path: &str) -> &'static str {
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

/// Percent-encodes a name for the query of an address.
fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte))
        } else {
            // Encoded twice: the page decodes the query, and what remains is a URL.
            out.push_str(&format!("%25{byte:02X}"))
        }
    }
    out
}
