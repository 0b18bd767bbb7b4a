//! Matches kernels that were renamed.
//!
//! A kernel's signature consists of its arguments and its code: a hash of all instructions, and a
//! sketch of the sequence of operations (the smallest hashes of runs of three, as in MinHash).
//! Signatures are looked up in tables, so the work grows with the number of kernels, not with the
//! number of pairs.

use std::hash::{DefaultHasher, Hash, Hasher};

use foldhash::HashMap;

use super::work::Work;
use zeview_core::analysis::assembly::{Listing, Shape, Shapes};
use zeview_core::model::{Sources, Str, sort};

/// Number of hashes in a sketch.
const SKETCH: usize = 16;
/// Kernels are compared if they share this many consecutive hashes of the sketch.
const BAND: usize = 2;
/// Maximum number of candidates that share a band.
const CANDIDATES: usize = 8;
/// Number of equal hashes that are required if the arguments are the same.
const ALIKE: usize = 8;
/// Number of equal hashes that are required if the arguments differ.
const ALIKE_ALONE: usize = 12;
/// Code with fewer instructions is not matched by its operations.
const SHORT: usize = 8;

/// The properties of a kernel that identify it without its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Signature {
    /// Its arguments as text; empty if unknown.
    pub arguments: String,
    /// A hash of its instructions; nothing if it has no code.
    pub code: Option<u64>,
    sketch: Option<[u64; SKETCH]>,
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// The hashes of an instruction: of its text, and of its operation. `None` for padding.
type Hashes = Option<(u64, u64)>;

/// The words seen so far, by encoding.
#[derive(Default)]
pub(super) struct SeenWords(HashMap<Str, HashMap<u128, Hashes>>);

/// Maximum number of cached words per encoding.
const SEEN_MAX: usize = 1 << 20;

/// Hashes the instructions of a kernel.
struct Reader<'w> {
    all: DefaultHasher,
    operations: Vec<u64>,
    seen: &'w mut HashMap<u128, Hashes>,
    work: &'w mut Work,
}

impl Reader<'_> {
    fn take(&mut self, hashes: Hashes) {
        if let Some((text, operation)) = hashes {
            self.all.write_u64(text);
            self.operations.push(operation);
        }
    }
}

impl Shapes for Reader<'_> {
    fn repeated(&mut self, _: i32, word: u128) -> bool {
        let Some(hashes) = self.seen.get(&word).copied() else {
            return false;
        };
        self.work.spend(8);
        self.take(hashes);
        true
    }

    fn shape(&mut self, word: Option<u128>, shape: &Shape<'_>) -> bool {
        let is_code = shape.counts.padding == 0;
        let hashes = is_code.then(|| (hash(&shape.text), hash(&shape.operation)));
        if let Some(word) = word.filter(|_| self.seen.len() < SEEN_MAX) {
            self.seen.insert(word, hashes);
        }
        self.take(hashes);
        self.work.spend(64)
    }
}

impl Signature {
    /// Creates the signature of a kernel from its arguments and code.
    pub fn new(
        arguments: String,
        listing: Option<&dyn Listing>,
        sources: &Sources,
        seen: &mut SeenWords,
        work: &mut Work,
    ) -> Signature {
        let mut signature = Signature {
            arguments,
            ..Signature::default()
        };
        let Some(listing) = listing else {
            return signature;
        };
        let mut reader = Reader {
            all: DefaultHasher::new(),
            operations: Vec::new(),
            seen: seen
                .0
                .entry(listing.encoding().unwrap_or_default())
                .or_default(),
            work,
        };
        listing.shapes(true, sources, &mut reader);
        signature.code = Some(reader.all.finish());
        let operations = reader.operations;
        if operations.len() < SHORT {
            return signature;
        }
        let mut sketch = [u64::MAX; SKETCH];
        for run in operations.windows(3) {
            let mut mixed = hash(&run);
            for least in &mut sketch {
                // A step of splitmix64: a different hash for each position of the sketch.
                mixed = mixed.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = mixed;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                *least = (*least).min(z ^ (z >> 31));
            }
        }
        signature.sketch = Some(sketch);
        signature
    }

    /// Returns the number of equal hashes in the two sketches.
    fn alike(&self, other: &Signature) -> usize {
        match (&self.sketch, &other.sketch) {
            (Some(a), Some(b)) => a.iter().zip(b).filter(|(a, b)| a == b).count(),
            _ => 0,
        }
    }
}

/// Returns pairs of renamed kernels, as indices in the two lists.
pub(super) fn renamed(a: &[Signature], b: &[Signature], work: &mut Work) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut is_free = (vec![true; a.len()], vec![true; b.len()]);
    // The same code, first with the same arguments, then with any.
    for with_arguments in [true, false] {
        let key = |signature: &Signature| {
            let arguments = with_arguments.then(|| signature.arguments.clone());
            Some((signature.code?, arguments))
        };
        let mut places: HashMap<(u64, Option<String>), Vec<usize>> = HashMap::default();
        // Reversed, so that `pop` takes the first.
        for (at, signature) in b.iter().enumerate().rev() {
            if is_free.1.get(at) == Some(&true)
                && let Some(key) = key(signature)
            {
                places.entry(key).or_default().push(at);
            }
        }
        for (at, signature) in a.iter().enumerate() {
            if is_free.0.get(at) != Some(&true) {
                continue;
            }
            let places = key(signature).and_then(|key| places.get_mut(&key));
            if let Some(other) = places.and_then(Vec::pop) {
                take(&mut is_free, at, other);
                found.push((at, other));
            }
        }
        work.spend((a.len() + b.len()) as u64);
    }
    // Similar code.
    let mut bands: HashMap<(usize, &[u64]), Vec<usize>> = HashMap::default();
    for (at, signature) in b.iter().enumerate() {
        if is_free.1.get(at) != Some(&true) {
            continue;
        }
        for band in signature
            .sketch
            .iter()
            .flat_map(|s| s.chunks(BAND).enumerate())
        {
            let list = bands.entry(band).or_default();
            if list.len() < CANDIDATES {
                list.push(at);
            }
        }
    }
    let mut scored: Vec<(usize, usize, usize)> = Vec::new();
    for (at, signature) in a.iter().enumerate() {
        if is_free.0.get(at) != Some(&true) {
            continue;
        }
        let own = signature
            .sketch
            .iter()
            .flat_map(|s| s.chunks(BAND).enumerate());
        let mut candidates: Vec<usize> = own
            .filter_map(|band| bands.get(&band))
            .flatten()
            .copied()
            .collect();
        sort::ascending(&mut candidates);
        candidates.dedup();
        work.spend(candidates.len() as u64 * SKETCH as u64);
        for other in candidates {
            let Some(of_b) = b.get(other) else { continue };
            let alike = signature.alike(of_b);
            let same_arguments = signature.arguments == of_b.arguments;
            let wanted = if same_arguments { ALIKE } else { ALIKE_ALONE };
            if alike >= wanted {
                // Arguments decide between code that is equally similar.
                scored.push((2 * alike + usize::from(same_arguments), at, other));
            }
        }
    }
    sort::by_key(&mut scored, |(score, a, b)| {
        (std::cmp::Reverse(*score), *a, *b)
    });
    for (_, at, other) in scored {
        if is_free.0.get(at) == Some(&true) && is_free.1.get(other) == Some(&true) {
            take(&mut is_free, at, other);
            found.push((at, other));
        }
    }
    sort::ascending(&mut found);
    found
}

fn take(is_free: &mut (Vec<bool>, Vec<bool>), a: usize, b: usize) {
    if let Some(place) = is_free.0.get_mut(a) {
        *place = false;
    }
    if let Some(place) = is_free.1.get_mut(b) {
        *place = false;
    }
}
