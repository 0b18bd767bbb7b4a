//! Downloads of files.

use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, File, FilePropertyBag, ReadableStreamDefaultReader, RequestInit, Response, Url,
};

/// Why a download failed.
pub(crate) enum FetchError {
    /// The user canceled it.
    Cancelled,
    /// The URL is invalid or has an unsupported scheme.
    Address(String),
    /// The server returned an error: status code and text.
    Status(u16, String),
    /// No connection, or blocked by CORS: browsers do not report which.
    Refused {
        /// The address is on another host than the page.
        elsewhere: bool,
    },
    /// The connection broke off.
    Broken(u64),
}

/// Resolves a URL relative to the page; only schemes that the page's policy allows.
pub(crate) fn absolute(address: &str) -> Option<Url> {
    let base = web_sys::window()?.document()?.base_uri().ok()??;
    let url = Url::new_with_base(address.trim(), &base).ok()?;
    matches!(url.protocol().as_str(), "http:" | "https:").then_some(url)
}

/// The last path segment of a URL, as a file name.
pub(crate) fn file_name(url: &Url) -> String {
    let path = url.pathname();
    let last = path.rsplit('/').find(|part| !part.is_empty());
    let last = last.map_or_else(|| url.host(), str::to_owned);
    js_sys::decode_uri_component(&last).map_or(last, String::from)
}

/// Downloads a file; `progress` gets the number of bytes received and the total.
pub(crate) async fn fetch(
    url: &Url,
    abort: &AbortController,
    progress: impl Fn(u64, Option<u64>),
) -> Result<File, FetchError> {
    let response = respond(url, abort).await?;
    if !response.ok() {
        // The body of an error page is not needed.
        abort.abort();
        return Err(FetchError::Status(
            response.status(),
            response.status_text(),
        ));
    }
    let header = |name: &str| response.headers().get(name).ok().flatten();
    // Content-Length counts encoded bytes, so it is no total of a compressed response.
    let total = match header("content-encoding") {
        None => header("content-length").and_then(|length| length.parse().ok()),
        Some(_) => None,
    };
    let parts = Array::new();
    if let Some(body) = response.body() {
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        read(&reader, abort, &parts, |got| progress(got, total)).await?;
    }
    file(&parts, &file_name(url)).ok_or(FetchError::Broken(0))
}

async fn respond(url: &Url, abort: &AbortController) -> Result<Response, FetchError> {
    let window = web_sys::window().ok_or(FetchError::Cancelled)?;
    let options = RequestInit::new();
    options.set_signal(Some(&abort.signal()));
    let request = window.fetch_with_str_and_init(&url.href(), &options);
    match JsFuture::from(request).await {
        Ok(response) => Ok(response.unchecked_into()),
        Err(_) if abort.signal().aborted() => Err(FetchError::Cancelled),
        Err(_) => Err(FetchError::Refused {
            elsewhere: window
                .location()
                .origin()
                .is_ok_and(|origin| origin != url.origin()),
        }),
    }
}

async fn read(
    reader: &ReadableStreamDefaultReader,
    abort: &AbortController,
    parts: &Array,
    progress: impl Fn(u64),
) -> Result<(), FetchError> {
    let mut got = 0;
    loop {
        progress(got);
        let chunk = match JsFuture::from(reader.read()).await {
            Ok(chunk) => chunk,
            Err(_) if abort.signal().aborted() => return Err(FetchError::Cancelled),
            Err(_) => return Err(FetchError::Broken(got)),
        };
        let member = |name: &str| Reflect::get(&chunk, &JsValue::from(name)).ok();
        if member("done").is_none_or(|done| done.is_truthy()) {
            return Ok(());
        }
        if let Some(bytes) = member("value").and_then(|v| v.dyn_into::<Uint8Array>().ok()) {
            got += u64::from(bytes.length());
            parts.push(&bytes);
        }
    }
}

/// Creates a `File` from bytes.
pub(crate) fn file(parts: &Array, name: &str) -> Option<File> {
    let options = FilePropertyBag::new();
    options.set_type("application/octet-stream");
    File::new_with_blob_sequence_and_options(parts, name, &options).ok()
}
