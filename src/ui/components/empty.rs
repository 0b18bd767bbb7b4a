//! The page before a file is open.

use yew::prelude::*;

use crate::ui::hooks::{text_near, use_session};
use crate::ui::state::{Action, Dialog};

/// A file that comes with the page.
struct Sample {
    file: &'static str,
    label: &'static str,
}

const SAMPLES: &[Sample] = &[
    Sample {
        file: "vecadd.bmg.zebin",
        label: "vecadd · Battlemage",
    },
    Sample {
        file: "spill.dg2.zebin",
        label: "spilling kernels · Arc",
    },
    Sample {
        file: "kernels600.dg2.zebin",
        label: "600 kernels · Arc",
    },
    Sample {
        file: "damaged.zebin",
        label: "a damaged file",
    },
];

#[derive(Properties, PartialEq)]
pub struct Props {
    /// Lets the user choose files.
    pub choose: Callback<()>,
}

/// One calm place to drop a file. index.html has the same for the time until the app runs.
#[component]
pub fn Empty(props: &Props) -> Html {
    let session = use_session();
    let link = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.dispatch(Action::Dialog(Some(Dialog::Link))))
    };
    let sample = Callback::from(move |event: MouseEvent| {
        if let Some(name) = text_near(&event, "data-sample") {
            session.open_sample(&name);
        }
    });
    let choose = props.choose.reform(|_: MouseEvent| ());
    html! {
        <main class="middle">
            <div class="drop">
                <div class="zone">
                    <h2>{ "Drop a .zebin or .syclbin here" }</h2>
                    <p>{ "also OffloadBinary, ocloc archives, IGC debug data, SPIR-V, and host files that hold them" }</p>
                    <div class="rowc">
                        <button type="button" class="btn" onclick={choose}>{ "Open a file…" }</button>
                        <button type="button" class="btn2 big" data-wish="link" onclick={link}>{ "Open a link…" }</button>
                    </div>
                    <p class="dim">{ "or paste a file, hex text or base64" }</p>
                </div>
                <div>
                    <p>{ "No file at hand?" }</p>
                    <div class="rowc" onclick={sample}>
                        { for SAMPLES.iter().map(|sample| html! {
                            <button type="button" class="btn2" data-sample={sample.file}>{ sample.label }</button>
                        }) }
                    </div>
                </div>
                <p class="dim">{ "The file stays on this machine. Nothing is uploaded, nothing is installed; works offline." }</p>
            </div>
        </main>
    }
}
