//! Simplifications of every name: wrappers, inline namespaces, and parts that rarely distinguish
//! two kernels ([`Hidden`]).

use super::tree::{Bracket, Hidden, Piece, TreeId, Trees, WordId};

/// The suffix of a kernel that runs over a range that the SYCL runtime has rounded up.
pub(super) const ROUNDED: &str = " [rounded]";

/// Simplifies the pieces of a tree whose lists are already simplified. `is_root` is true for the
/// whole name.
pub(super) fn simplify(pieces: Vec<Piece>, is_root: bool, trees: &mut Trees) -> TreeId {
    let pieces = without_inline_namespaces(pieces, trees);
    let pieces = cast(pieces, trees);
    let pieces = lambda(pieces, trees);
    let pieces = returned(pieces, trees);
    let pieces = parameters(pieces, is_root, trees);
    let pieces = hide_lambdas(pieces, trees);
    let pieces = qualifiers(pieces, trees);
    trees.tree(pieces)
}

/// Removes wrappers around the kernel. Returns the kernel, and whether it runs over a rounded
/// range.
pub(super) fn unwrap(mut root: TreeId, trees: &mut Trees) -> (TreeId, bool) {
    let mut is_rounded = false;
    // The other arguments of the wrappers: they distinguish kernels only if nothing else does.
    let mut others = Vec::new();
    // Each iteration removes a wrapper.
    while let Some((kernel, arguments, is_of_range)) = wrapped(root, trees) {
        root = kernel;
        is_rounded |= is_of_range;
        if !arguments.is_empty() {
            let list = vec![Piece::List(Bracket::Angle, arguments.into())];
            others.push(hide(Hidden::Type, list, trees));
        }
    }
    if !others.is_empty() {
        let pieces = trees.pieces(root);
        root = trees.tree(pieces.iter().cloned().chain(others).collect());
    }
    (root, is_rounded)
}

/// Returns the wrapped kernel, the wrapper's other arguments, and whether its range is rounded.
fn wrapped(tree: TreeId, trees: &Trees) -> Option<(TreeId, Vec<TreeId>, bool)> {
    let pieces = trees.pieces(tree);
    let mut namespace = None;
    let mut visible = Vec::new();
    for piece in &*pieces {
        match piece {
            Piece::Hidden(Hidden::Qualifier, path) => namespace = Some(outermost(*path, trees)),
            Piece::Hidden(..) => {}
            piece => visible.push(piece),
        }
    }
    let [Piece::Word(name), Piece::List(Bracket::Angle, items)] = visible[..] else {
        return None;
    };
    match (namespace?, trees.text(*name), &**items) {
        ("sycl", "__pf_kernel_wrapper", [kernel]) => Some((*kernel, Vec::new(), true)),
        ("sycl", "RoundedRangeKernel" | "RoundedRangeKernelWithKH", [others @ .., kernel])
            if !others.is_empty() =>
        {
            Some((*kernel, others.to_vec(), true))
        }
        ("compat" | "syclcompat", "KernelFunctor", [kernel, others @ ..]) => {
            Some((*kernel, others.to_vec(), false))
        }
        ("cutlass", "device_kernel", [kernel]) => Some((*kernel, Vec::new(), false)),
        _ => None,
    }
}

/// Returns the outermost namespace of a path.
fn outermost(mut path: TreeId, trees: &Trees) -> &str {
    loop {
        match trees.pieces(path).first() {
            Some(Piece::Hidden(_, outer)) => path = *outer,
            Some(Piece::Word(word)) => return trees.text(*word),
            _ => return "",
        }
    }
}

fn is(piece: Option<&Piece>, text: &str, trees: &Trees) -> bool {
    matches!(piece, Some(Piece::Word(word)) if trees.text(*word) == text)
}

/// Whether a piece is an identifier, a number, or a keyword.
fn is_name(piece: Option<&Piece>, trees: &Trees) -> bool {
    let Some(Piece::Word(word)) = piece else {
        return false;
    };
    let text = trees.text(*word);
    let is_start = |c: char| c.is_alphanumeric() || matches!(c, '_' | '~' | '(' | '$');
    text.starts_with(is_start)
}

/// Creates a hidden part of the pieces.
fn hide(kind: Hidden, pieces: Vec<Piece>, trees: &mut Trees) -> Piece {
    Piece::Hidden(kind, trees.tree(pieces))
}

/// Shortens `sycl::_V1::` to `sycl::`, and replaces the class behind `sycl::half` by that alias.
fn without_inline_namespaces(pieces: Vec<Piece>, trees: &Trees) -> Vec<Piece> {
    const INLINE: [&[&str]; 2] = [&["_V1"], &["detail", "::", "half_impl"]];
    if !pieces.iter().any(|piece| is(Some(piece), "sycl", trees)) {
        return pieces;
    }
    let mut rest = pieces.into_iter().peekable();
    let mut out: Vec<Piece> = Vec::new();
    let mut waiting: Vec<Piece> = Vec::new();
    while let Some(piece) = rest.next() {
        let is_behind = matches!(&out[..], [.., name, sign]
            if is(Some(name), "sycl", trees) && is(Some(sign), "::", trees));
        if !is_behind {
            out.push(piece);
            continue;
        }
        waiting.push(piece);
        let begins = |path: &[&str]| {
            let mut both = waiting.iter().zip(path);
            waiting.len() <= path.len() && both.all(|(piece, text)| is(Some(piece), text, trees))
        };
        match INLINE.iter().find(|path| begins(path)) {
            Some(path) if path.len() == waiting.len() && is(rest.peek(), "::", trees) => {
                waiting.clear();
                rest.next();
            }
            Some(path) if path.len() > waiting.len() => {}
            _ => out.append(&mut waiting),
        }
    }
    out.append(&mut waiting);
    out
}

/// Hides the type of a number: `(unsigned long)128`.
fn cast(mut pieces: Vec<Piece>, trees: &mut Trees) -> Vec<Piece> {
    const INTEGERS: [&str; 9] = [
        "unsigned", "signed", "char", "short", "int", "long", "bool", "__int128", " ",
    ];
    let [Piece::List(Bracket::Round, items), number, ..] = &pieces[..] else {
        return pieces;
    };
    let is_number = matches!(number, Piece::Word(word) if is_number(*word, trees));
    let [ty] = **items else { return pieces };
    let is_integer = trees
        .pieces(ty)
        .iter()
        .all(|piece| matches!(piece, Piece::Word(word) if INTEGERS.contains(&trees.text(*word))));
    if is_number && is_integer {
        let rest = pieces.split_off(1);
        pieces = vec![hide(Hidden::Type, pieces, trees)];
        pieces.extend(rest);
    }
    pieces
}

/// Whether a word is a number.
pub(super) fn is_number(word: WordId, trees: &Trees) -> bool {
    let text = trees.text(word);
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// Shortens the braced `lambda(int)#1` to `lambda #1`.
fn lambda(pieces: Vec<Piece>, trees: &mut Trees) -> Vec<Piece> {
    let ordinal = match &pieces[..] {
        [name, Piece::List(Bracket::Round, _), Piece::Word(ordinal)]
            if is(Some(name), "lambda", trees) =>
        {
            trees.text(*ordinal).to_owned()
        }
        [Piece::Word(word)] => match trees.text(*word).strip_prefix("lambda#") {
            Some(ordinal) => format!("#{ordinal}"),
            None => return pieces,
        },
        _ => return pieces,
    };
    let parameters = pieces.into_iter().nth(1).into_iter().collect();
    let parameters = hide(Hidden::Parameters, parameters, trees);
    let words = [trees.word("lambda"), trees.word(&format!(" {ordinal}"))];
    let [name, ordinal] = words.map(Piece::Word);
    vec![name, parameters, ordinal]
}

/// Whether a piece is a function's parameter list.
fn is_parameters(pieces: &[Piece], at: usize, trees: &Trees) -> bool {
    let before = at.checked_sub(1).and_then(|at| pieces.get(at));
    matches!(pieces.get(at), Some(Piece::List(Bracket::Round, _)))
        && (is_name(before, trees) || matches!(before, Some(Piece::List(Bracket::Angle, _))))
}

/// Hides the return type, and the sign in front of a function pointer.
fn returned(mut pieces: Vec<Piece>, trees: &mut Trees) -> Vec<Piece> {
    let function = (0..pieces.len()).find(|at| is_parameters(&pieces, *at, trees));
    let Some(function) = function else {
        return pieces;
    };
    let is_end = |at: &usize| {
        let is_operator = at
            .checked_sub(1)
            .is_some_and(|at| is(pieces.get(at), "operator", trees));
        is(pieces.get(*at), " ", trees) && !is_operator
    };
    let end = match (0..function).rev().find(is_end) {
        Some(at) => at + 1,
        None => usize::from(is(pieces.first(), "&", trees)),
    };
    if end == 0 {
        return pieces;
    }
    let rest = pieces.split_off(end);
    let mut out = vec![hide(Hidden::Type, pieces, trees)];
    out.extend(rest);
    out
}

/// Hides the parameters of enclosing functions, and of functions that are arguments.
fn parameters(pieces: Vec<Piece>, is_root: bool, trees: &mut Trees) -> Vec<Piece> {
    let is_function: Vec<bool> = (0..pieces.len())
        .map(|at| is_parameters(&pieces, at, trees))
        .collect();
    // `void (int)` is a function type, which stays visible.
    let has_type = matches!(pieces.first(), Some(Piece::Hidden(Hidden::Type, _)));
    let mut out = Vec::new();
    let mut rest = pieces.into_iter().zip(is_function).peekable();
    while let Some((piece, is_function)) = rest.next() {
        if !is_function {
            out.push(piece);
            continue;
        }
        let mut hidden = vec![piece];
        while let Some((next, _)) = rest.peek()
            && !is(Some(next), "::", trees)
        {
            hidden.extend(rest.next().map(|(piece, _)| piece));
        }
        if rest.peek().is_some() || (!is_root && has_type) {
            out.push(hide(Hidden::Parameters, hidden, trees));
        } else {
            out.append(&mut hidden);
        }
    }
    out
}

/// Hides enclosing lambdas, with their call operators.
fn hide_lambdas(pieces: Vec<Piece>, trees: &mut Trees) -> Vec<Piece> {
    let sign = |piece: &Piece| is(Some(piece), "::", trees);
    let segments: Vec<Vec<Piece>> = pieces.split(sign).map(<[Piece]>::to_vec).collect();
    if segments.len() < 3 {
        return pieces;
    }
    let colons = Piece::Word(trees.word("::"));
    let mut out: Vec<Piece> = Vec::new();
    let mut hidden: Vec<Piece> = Vec::new();
    let last = segments.len() - 1;
    for (segment, at) in segments.into_iter().zip(0..) {
        let is_lambda = matches!(segment[..], [Piece::List(Bracket::Brace, _)]);
        let is_call = !hidden.is_empty() && is(segment.first(), "operator()", trees);
        if at < last && (is_lambda || is_call) {
            let segment: Vec<Piece> = segment.into_iter().chain([colons.clone()]).collect();
            let kind = if is_call {
                Hidden::Parameters
            } else {
                Hidden::Carrier
            };
            hidden.push(hide(kind, segment, trees));
            continue;
        }
        if !hidden.is_empty() {
            let hidden = std::mem::take(&mut hidden);
            out.push(hide(Hidden::Carrier, hidden, trees));
        }
        out.extend(segment);
        if at < last {
            out.push(colons.clone());
        }
    }
    out
}

/// Hides the namespaces and classes in front of a name. Each is nested in a hidden part with those
/// outside of it, so that two paths are compared from their ends.
fn qualifiers(pieces: Vec<Piece>, trees: &mut Trees) -> Vec<Piece> {
    /// Maximum number of segments of a path that are compared one by one.
    const SEGMENTS: usize = 16;
    let mut out = Vec::new();
    let mut path: Vec<Piece> = Vec::new();
    let mut rest = pieces.into_iter().peekable();
    while let Some(piece) = rest.next() {
        if is_name(Some(&piece), trees) && is(rest.peek(), "::", trees) {
            path.push(piece);
            path.extend(rest.next());
            continue;
        }
        // Each segment has two pieces.
        let mut inner = path
            .split_off(path.len().saturating_sub(2 * SEGMENTS))
            .into_iter();
        let mut around = std::mem::take(&mut path);
        while let Some(name) = inner.next() {
            around.push(name);
            around.extend(inner.next());
            around = vec![hide(Hidden::Qualifier, around, trees)];
        }
        out.append(&mut around);
        out.push(piece);
    }
    out.append(&mut path);
    out
}
