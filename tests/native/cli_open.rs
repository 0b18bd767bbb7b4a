//! `zeview open`: what it serves, to whom, and when it exits.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::cli::{damaged, stderr, temporary, vecadd, zeview};

/// A minimal page for the server.
fn page() -> PathBuf {
    let folder = temporary("open.txt", b"").with_file_name("open-page");
    fs::create_dir_all(folder.join("0123")).unwrap();
    let index = "<html><head><title>page</title></head><body></body></html>";
    fs::write(folder.join("index.html"), index).unwrap();
    fs::write(folder.join("0123/app.js"), "1;").unwrap();
    folder
}

/// A server that is killed on drop.
pub struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server; returns it with its host and token.
pub fn serve(arguments: &[&str]) -> (Serving, String, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zeview"))
        .args(["open", "--no-browser", "--page"])
        .arg(page())
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = child.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().to_owned();
    let (host, path) = address.split_once('/').unwrap();
    let (token, query) = path.split_once('/').unwrap();
    let (host, token, query) = (host.to_owned(), token.to_owned(), query.to_owned());
    (Serving(child), host, token, query)
}

/// Returns the status and body of the response to a request.
fn ask(host: &str, named: &str, method: &str, path: &str) -> (u32, Vec<u8>) {
    let mut stream = TcpStream::connect(host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let request = format!("{method} {path} HTTP/1.1\r\nHost: {named}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer[end + 4..].to_vec())
}

#[test]
fn the_page_and_the_files_and_nothing_else() {
    let (one, other) = (vecadd(), damaged());
    let (_serving, host, token, query) = serve(&[&one, &other]);
    assert!(host.starts_with("127.0.0.1:"), "{host}");
    assert_eq!(token.len(), 32);
    assert!(query.starts_with("?url=files/0/vecadd.wcl"), "{query}");
    assert!(query.contains("&url=files/1/damaged.zebin"), "{query}");
    let get = |path: &str| ask(&host, &host, "GET", &format!("/{token}/{path}"));
    let (status, index) = get("");
    assert_eq!(status, 200);
    assert!(String::from_utf8(index).unwrap().contains("alive.js"));
    assert_eq!(get("0123/app.js"), (200, b"1;".to_vec()));
    assert_eq!(get("files/0/any-name"), (200, fs::read(&one).unwrap()));
    assert_eq!(get("files/1/any-name"), (200, fs::read(&other).unwrap()));
    for path in [
        "files/2/x",
        "files/-1/x",
        "files/0",
        "files/../index.html",
        "../open.txt",
        "0123/../../open.txt",
        "%2e%2e/open.txt",
        "/etc/passwd",
        "none.js",
    ] {
        assert_eq!(get(path).0, 404, "{path}");
    }
    // Without the token, from another site, or with another method.
    assert_eq!(ask(&host, &host, "GET", "/").0, 404);
    assert_eq!(ask(&host, &host, "GET", "/index.html").0, 404);
    let root = format!("/{token}/");
    assert_eq!(ask(&host, "evil.example", "GET", &root).0, 404);
    assert_eq!(ask(&host, &host, "POST", &root).0, 404);
    assert_eq!(ask(&host, &host, "HEAD", &root).0, 200);
}

/// Sends bytes, and returns the status of the answer; `None` if there is none.
fn send(host: &str, bytes: &[u8]) -> Option<u32> {
    let mut stream = TcpStream::connect(host).unwrap();
    let limit = Some(Duration::from_secs(20));
    stream.set_read_timeout(limit).unwrap();
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(bytes);
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).ok()?;
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.strip_prefix("HTTP/1.1 ")
        .or(text.strip_prefix("HTTP/1.0 "))?
        .parse()
        .ok()
}

/// Requests of other sites, with other methods, for other files, and such that are none.
#[test]
fn nothing_else_is_answered() {
    let (_serving, host, token, _) = serve(&[&vecadd()]);
    let port = host.rsplit_once(':').unwrap().1.to_owned();
    let root = format!("/{token}/");
    let page = format!("GET {root} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    assert_eq!(send(&host, page.as_bytes()), Some(200));
    let mut refused: Vec<String> = Vec::new();
    for named in [
        "evil.example",
        &format!("evil.example:{port}"),
        &format!("localhost:{port}"),
        &format!("{host}.evil.example"),
        &format!("evil@{host}"),
        &format!("{host}/"),
        "127.0.0.1",
        "",
    ] {
        refused.push(format!("GET {root} HTTP/1.1\r\nHost: {named}\r\n\r\n"));
    }
    for head in [
        format!("GET {root} HTTP/1.1\r\n\r\n"),
        format!("GET {root} HTTP/1.0\r\n\r\n"),
        format!("GET {root} HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n"),
        format!("GET {root} HTTP/1.1\r\nHost: evil.example\r\nHost: {host}\r\n\r\n"),
        format!("GET {root} HTTP/1.1\r\nX-Forwarded-Host: {host}\r\n\r\n"),
        "\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        format!("GET {root}\u{0} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        // A body that is not sent is not waited for.
        format!("POST {root} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100000000000\r\n\r\n"),
        format!(
            "GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n",
            "x".repeat(1 << 20)
        ),
        format!(
            "GET {root} HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n",
            "x".repeat(1 << 20)
        ),
        format!(
            "GET {root} HTTP/1.1\r\nHost: {host}\r\n{}\r\n",
            "X: x\r\n".repeat(1000)
        ),
    ] {
        refused.push(head);
    }
    for method in [
        "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "X",
    ] {
        refused.push(format!(
            "{method} {root} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n"
        ));
    }
    for path in [
        "..",
        "../",
        "../../../../../../etc/passwd",
        "..%2f..%2fopen.txt",
        "%2e%2e%2fopen.txt",
        "%252e%252e/open.txt",
        "0123/..%5c..%5copen.txt",
        "0123/..\\..\\open.txt",
        "0123//../../open.txt",
        "/etc/passwd",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "%00",
        "files/0%2fx",
        "files/%30/x",
        "files/00000000000000000000000000000001/x",
        "files/18446744073709551616/x",
        "alive.js/..",
        "ALIVE.JS",
    ] {
        refused.push(format!("GET {root}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    }
    for request in &refused {
        let status = send(&host, request.as_bytes());
        assert!(
            status.is_none_or(|status| (400..500).contains(&status)),
            "{status:?}: {}",
            request.chars().take(200).collect::<String>()
        );
    }
    assert!(refused.len() > 45);
    assert_eq!(send(&host, page.as_bytes()), Some(200));
}

/// A browser opens several connections at once, and keeps them open.
#[test]
fn open_connections_do_not_block_others() {
    let (_serving, host, token, _) = serve(&[&vecadd()]);
    let request = format!("GET /{token}/0123/app.js HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let connect = |_| {
        let mut stream = TcpStream::connect(&host).unwrap();
        let limit = Some(Duration::from_secs(20));
        stream.set_read_timeout(limit).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let mut streams: Vec<TcpStream> = (0..40).map(connect).collect();
    // Each of them is used again.
    for _ in 0..2 {
        for stream in &mut streams {
            let mut answer = Vec::new();
            while !answer.ends_with(b"\r\n\r\n1;") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                answer.push(byte[0]);
            }
            assert!(answer.starts_with(b"HTTP/1.1 200 OK"));
            stream.write_all(request.as_bytes()).unwrap();
        }
    }
}

#[test]
fn two_files_are_compared() {
    let (_serving, _, _, query) = serve(&["--compare", &vecadd(), &damaged()]);
    assert!(query.starts_with("?a=files/0/vecadd"), "{query}");
    assert!(query.ends_with("&b=files/1/damaged.zebin"), "{query}");
}

#[test]
fn it_ends_when_the_last_tab_is_closed() {
    let (mut serving, host, token, _) = serve(&[&vecadd()]);
    let mut tab = TcpStream::connect(&host).unwrap();
    let request = format!("GET /{token}/alive HTTP/1.1\r\nHost: {host}\r\n\r\n");
    tab.write_all(request.as_bytes()).unwrap();
    let mut first = [0; 15];
    tab.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    assert_eq!(serving.0.try_wait().unwrap(), None);
    drop(tab);
    let until = Instant::now() + Duration::from_secs(60);
    let status = loop {
        if let Some(status) = serving.0.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < until, "it still runs");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(status.success());
}

#[test]
fn head_requests_are_not_tabs() {
    let (mut serving, host, token, _) = serve(&[&vecadd()]);
    for _ in 0..3 {
        let (status, body) = ask(&host, &host, "HEAD", &format!("/{token}/alive"));
        assert_eq!((status, body.len()), (200, 0));
    }
    // Longer than the delay for a tab to return.
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(serving.0.try_wait().unwrap(), None);
}

/// The head of a request may take up to 30 seconds.
#[test]
fn idle_connections_are_closed() {
    let (_serving, host, token, _) = serve(&[&vecadd()]);
    let connect = |begin: &str| {
        let mut stream = TcpStream::connect(&host).unwrap();
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).unwrap();
        stream.write_all(begin.as_bytes()).unwrap();
        stream
    };
    let idle = (0..200).map(|at| connect(["", "GET /"][at % 2]));
    let idle: Vec<TcpStream> = idle.collect();
    assert_eq!(ask(&host, &host, "GET", &format!("/{token}/")).0, 200);
    for mut stream in idle {
        let mut rest = Vec::new();
        // Closed with or without a response; a timeout would be an error.
        stream.read_to_end(&mut rest).unwrap();
    }
    assert_eq!(ask(&host, &host, "GET", &format!("/{token}/")).0, 200);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_page() {
    let (_serving, host, token, _) = serve(&[&vecadd()]);
    let outside = temporary("open-outside.txt", b"outside");
    let page = page();
    let links = [
        ("outside.txt", outside.clone()),
        ("folder", outside.parent().unwrap().to_owned()),
        ("inside.js", page.join("0123/app.js")),
    ];
    for (name, to) in &links {
        let _ = fs::remove_file(page.join(name));
        std::os::unix::fs::symlink(to, page.join(name)).unwrap();
    }
    let get = |path: &str| ask(&host, &host, "GET", &format!("/{token}/{path}")).0;
    assert_eq!(get("outside.txt"), 404);
    assert_eq!(get("folder/open-outside.txt"), 404);
    assert_eq!(get("inside.js"), 200);
    for (name, _) in links {
        let _ = fs::remove_file(page.join(name));
    }
}

#[test]
fn unopenable_files() {
    let file = vecadd();
    let page = page().display().to_string();
    for (arguments, said) in [
        (&["--page", "/nowhere", &file][..], "index.html"),
        (&["--page", &page, "not-there.zebin"][..], "not-there.zebin"),
        (&["--page", &page, "--compare", &file][..], "two files"),
        (&["--page", &page, &page][..], "not a file"),
    ] {
        let output = zeview(&[&["open", "--no-browser"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}
