//! Recently opened files. `www/recent.js` stores them with their file handles; files without a
//! handle cannot be reopened and are not listed.

use std::rc::Rc;

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::File;
use yew::AttrValue;

use super::files::{self, ChosenFile};
use super::{Session, spawn};

/// A recently opened file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recent {
    /// Its key in the database.
    pub id: u32,
    /// Its name.
    pub name: AttrValue,
    /// Its size in bytes when it was opened.
    pub size: u64,
    /// When it was opened, as text.
    pub at: AttrValue,
}

/// Calls a function of `www/recent.js`. Returns `None` if nothing can be stored.
async fn call(name: &str, arguments: &Array) -> Option<JsValue> {
    let module = Reflect::get(&js_sys::global(), &"zeviewRecent".into()).ok()?;
    let answer = method(&module, name)?.apply(&module, arguments).ok()?;
    JsFuture::from(answer.dyn_into::<Promise>().ok()?)
        .await
        .ok()
}

fn method(of: &JsValue, name: &str) -> Option<Function> {
    Reflect::get(of, &name.into()).ok()?.dyn_into().ok()
}

impl Recent {
    fn read(entry: &JsValue) -> Option<Recent> {
        let get = |key: &str| Reflect::get(entry, &key.into()).ok();
        Some(Recent {
            id: get("id")?.as_f64()? as u32,
            name: get("name")?.as_string()?.into(),
            size: get("size")?.as_f64()? as u64,
            at: get("at")?.as_string()?.into(),
        })
    }
}

impl Session {
    /// Records that a file was opened.
    pub(crate) fn remember_file(&self, file: &File, handle: &JsValue) {
        let given = Array::of3(handle, &file.name().into(), &file.size().into());
        spawn(Box::pin(async move {
            call("keep", &given).await;
        }));
    }

    /// Recently opened files, newest first.
    pub fn recent_files(&self, done: Box<dyn FnOnce(Rc<[Recent]>)>) {
        spawn(Box::pin(async move {
            let found = call("list", &Array::new()).await;
            let found: Option<Array> = found.and_then(|found| found.dyn_into().ok());
            let found = found.iter().flat_map(Array::iter);
            done(found.filter_map(|entry| Recent::read(&entry)).collect());
        }));
    }

    /// Removes a file from the list; 0 removes all.
    pub fn forget_recent(&self, id: u32, done: Box<dyn FnOnce()>) {
        spawn(Box::pin(async move {
            call("forget", &Array::of1(&id.into())).await;
            done();
        }));
    }

    /// Reopens a file, if the user grants access.
    pub fn open_recent(self: &Rc<Self>, id: u32) {
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            let handle = call("take", &Array::of1(&id.into())).await;
            let handle = handle.filter(JsValue::is_object);
            let Some(handle) = handle else {
                return session.notice("The browser was not allowed to open the file.");
            };
            match files::file_of(&handle).await {
                Some(file) => {
                    session.open_files(vec![ChosenFile::own(file, Some(handle))]);
                }
                None => session.notice("The file was moved or deleted."),
            }
        }));
    }

    /// Opens the file dialog; with file handles, if the browser supports them.
    pub fn choose_to_open(self: &Rc<Self>) {
        let global: JsValue = js_sys::global().into();
        let options = js_sys::Object::new();
        // Setting properties of our own objects cannot fail.
        let _ = Reflect::set(&options, &"multiple".into(), &true.into());
        let picked = method(&global, "showOpenFilePicker").and_then(|pick| {
            pick.call1(&global, &options)
                .ok()?
                .dyn_into::<Promise>()
                .ok()
        });
        let Some(picked) = picked else {
            return self.choose(None);
        };
        let session = Rc::clone(self);
        spawn(Box::pin(async move {
            match JsFuture::from(picked).await {
                Ok(handles) => {
                    let mut chosen: Vec<ChosenFile> = Vec::new();
                    for handle in handles.unchecked_into::<Array>().iter() {
                        if let Some(file) = files::file_of(&handle).await {
                            chosen.push(ChosenFile::own(file, Some(handle)));
                        }
                    }
                    session.open_files(chosen);
                }
                // Cross-origin frames get no handles.
                Err(error) if name_of(&error) != "AbortError" => session.choose(None),
                Err(_) => {}
            }
        }));
    }
}

fn name_of(error: &JsValue) -> String {
    let name = Reflect::get(error, &"name".into()).ok();
    name.and_then(|name| name.as_string()).unwrap_or_default()
}
