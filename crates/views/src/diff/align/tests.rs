use super::*;

/// Computes the length of the longest common subsequence with the textbook algorithm.
fn common(a: &[u32], b: &[u32]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    row[b.len()]
}

/// Checks that everything outside of the hunks is equal and in the same order.
fn verify(a: &[u32], b: &[u32], alignment: &Alignment) {
    let (mut x, mut y) = (0, 0);
    for hunk in &alignment.hunks {
        let (to_x, to_y) = (hunk.a.start as usize, hunk.b.start as usize);
        assert_eq!(a[x..to_x], b[y..to_y]);
        (x, y) = (hunk.a.end as usize, hunk.b.end as usize);
        assert!(!hunk.a.is_empty() || !hunk.b.is_empty());
    }
    assert_eq!(a[x..], b[y..]);
}

fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

#[test]
fn the_edits_are_the_fewest() {
    let mut seed = 0x1234_5678;
    for round in 0..400 {
        let letters = 2 + round % 9;
        let mut sequence = |most: u64| -> Vec<u32> {
            let length = random(&mut seed) % most;
            (0..length)
                .map(|_| u32::try_from(random(&mut seed) % letters).unwrap())
                .collect()
        };
        let (a, b) = (sequence(60), sequence(60));
        let alignment = align(&a, &b, &mut Work::new(0));
        verify(&a, &b, &alignment);
        assert!(alignment.is_shortest);
        let common = common(&a, &b);
        assert_eq!(alignment.removed(), (a.len() - common) as u64);
        assert_eq!(alignment.added(), (b.len() - common) as u64);
    }
}

#[test]
fn very_different_sequences_are_cut_and_marked() {
    let a: Vec<u32> = (0..6000).collect();
    // Every third element differs.
    let b: Vec<u32> = (0..6000)
        .map(|x| if x % 3 == 0 { x + 10_000 } else { x })
        .collect();
    let mut work = Work::new(0);
    let alignment = align(&a, &b, &mut work);
    verify(&a, &b, &alignment);
    assert!(!alignment.is_shortest);
    assert_eq!((alignment.removed(), alignment.added()), (2000, 2000));
    // The same with sequences short enough to find all edits.
    let (short_a, short_b) = (&a[..900], &b[1..901]);
    let alignment = align(short_a, short_b, &mut work);
    verify(short_a, short_b, &alignment);
    assert!(alignment.is_shortest);
    let short_b: Vec<u32> = (30_000..30_900).collect();
    let alignment = align(short_a, &short_b, &mut work);
    assert!(!alignment.is_shortest);
    assert_eq!(alignment.hunks.len(), 1);
    // Nothing in common: no anchors, one hunk.
    let c: Vec<u32> = (20_000..26_000).collect();
    let alignment = align(&a, &c, &mut work);
    verify(&a, &c, &alignment);
    assert_eq!(alignment.hunks.len(), 1);
    assert!(!alignment.is_shortest);
}

#[test]
fn the_work_is_bounded() {
    // Two hostile sequences: every element occurs often, in different orders.
    for length in [10_000_u32, 100_000] {
        let a: Vec<u32> = (0..length).map(|x| x % 7).collect();
        let b: Vec<u32> = (0..length)
            .map(|x| (x % 1000 * (x % 1000) + x / 3) % 7)
            .collect();
        let mut work = Work::new(0);
        let alignment = align(&a, &b, &mut work);
        verify(&a, &b, &alignment);
        assert!(work.spent() < 16 * u64::from(length) + 4 * (EDITS * EDITS) as u64);
    }
}

#[test]
fn one_of_many() {
    let many: Vec<u32> = (0..1224).collect();
    let alignment = align(&[100], &many[..1024], &mut Work::new(0));
    verify(&[100], &many[..1024], &alignment);
    assert!(alignment.is_shortest);
    assert_eq!((alignment.removed(), alignment.added()), (0, 1023));
    let alignment = align(&[100], &many, &mut Work::new(0));
    verify(&[100], &many, &alignment);
    assert!(!alignment.is_shortest);
    // The table of a long and a short sequence would be large.
    assert!(table::edits(&[100], &many).is_none());
}

#[test]
fn counterparts() {
    let a = [1, 2, 3, 4, 5];
    let b = [1, 9, 9, 3, 4, 5];
    let alignment = align(&a, &b, &mut Work::new(0));
    assert_eq!(alignment.counterpart(0), (0, true));
    assert_eq!(alignment.counterpart(1), (3, false));
    assert_eq!(alignment.counterpart(2), (3, true));
    assert_eq!(alignment.counterpart(4), (5, true));
}

/// The textbook search over all diagonals: returns the edits on its path.
fn textbook(a: &[u32], b: &[u32]) -> Vec<Hunk> {
    let (n, m) = (a.len().cast_signed(), b.len().cast_signed());
    let mut rows: Vec<std::collections::HashMap<isize, isize>> = Vec::new();
    for d in 0..=n + m {
        let mut row = std::collections::HashMap::new();
        for k in (-d..=d).step_by(2) {
            let mut x = match rows.last() {
                None => 0,
                Some(before) if k == -d || k != d && before[&(k - 1)] < before[&(k + 1)] => {
                    before[&(k + 1)]
                }
                Some(before) => before[&(k - 1)] + 1,
            };
            while x < n && x - k < m && a[x.cast_unsigned()] == b[(x - k).cast_unsigned()] {
                x += 1;
            }
            row.insert(k, x);
        }
        let is_found = row.get(&(n - m)).is_some_and(|x| *x >= n);
        rows.push(row);
        if is_found {
            break;
        }
    }
    rows.pop();
    let (mut x, mut y) = (n, m);
    let mut hunks: Vec<Hunk> = Vec::new();
    while let Some(before) = rows.pop() {
        let (d, k) = (rows.len().cast_signed() + 1, x - y);
        let down = k == -d || k != d && before[&(k - 1)] < before[&(k + 1)];
        let from = if down { k + 1 } else { k - 1 };
        x = before[&from];
        y = x - from;
        let place = |at: isize| u32::try_from(at).unwrap();
        let start = (place(x), place(y));
        let end = if down {
            (start.0, start.1 + 1)
        } else {
            (start.0 + 1, start.1)
        };
        match hunks.last_mut() {
            Some(hunk) if hunk.a.start == end.0 && hunk.b.start == end.1 => {
                (hunk.a.start, hunk.b.start) = start;
            }
            _ => hunks.push(Hunk {
                a: start.0..end.0,
                b: start.1..end.1,
            }),
        }
    }
    hunks.reverse();
    hunks
}

#[test]
fn the_shortest_list_matches_the_textbook() {
    let mut seed = 0x8765_4321;
    for round in 0..2000 {
        let letters = 1 + round % 30;
        let mut sequence = |most: u64| -> Vec<u32> {
            let length = random(&mut seed) % most;
            (0..length)
                .map(|_| u32::try_from(random(&mut seed) % letters).unwrap())
                .collect()
        };
        let (a, b) = (sequence(1 + round % 50), sequence(1 + round % 70));
        let alignment = align(&a, &b, &mut Work::new(0));
        verify(&a, &b, &alignment);
        assert!(alignment.is_shortest);
        // Common elements at both ends are not part of the search.
        let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
        let (a, b) = (&a[start..], &b[start..]);
        let pairs = a.iter().rev().zip(b.iter().rev());
        let end = pairs.take_while(|(x, y)| x == y).count();
        let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
        let searched = Search::new(a, b).run(EDITS, &mut Work::new(0));
        let (listed, _) = table::edits(a, b).unwrap();
        assert_eq!(searched.unwrap(), listed);
        let expected = textbook(a, b);
        let start = u32::try_from(start).unwrap();
        let at = |range: &Range<u32>| range.start + start..range.end + start;
        let expected: Vec<Hunk> = expected
            .iter()
            .map(|hunk| Hunk {
                a: at(&hunk.a),
                b: at(&hunk.b),
            })
            .collect();
        assert_eq!(alignment.hunks, expected);
    }
}
