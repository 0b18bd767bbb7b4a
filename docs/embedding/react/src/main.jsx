import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Zeview } from "./Zeview.jsx";

function Page() {
  const [selected, setSelected] = useState(null);
  return (
    <main>
      <h1>Spills</h1>
      <p>A kernel that needs more registers than there are keeps values in memory.</p>
      <Zeview src="/zeview/samples/spill.dg2.zebin" panel="kernels" select="k=spill" height="420" onSelected={setSelected}>
        <a href="/zeview/samples/spill.dg2.zebin">spill.dg2.zebin</a>: three kernels for Arc
      </Zeview>
      <p role="status">{selected?.start !== undefined && `Selected: bytes ${selected.start} to ${selected.end}.`}</p>
    </main>
  );
}

createRoot(document.getElementById("root")).render(<Page />);
