use super::*;

/// The length of the longest common subsequence, by the textbook's table.
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

/// What stands outside of the hunks is the same, and in the same order.
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
fn what_differs_too_much_is_cut_and_said() {
    let a: Vec<u32> = (0..6000).collect();
    // Every third element is another one, and all others stay.
    let b: Vec<u32> = (0..6000)
        .map(|x| if x % 3 == 0 { x + 10_000 } else { x })
        .collect();
    let mut work = Work::new(0);
    let alignment = align(&a, &b, &mut work);
    verify(&a, &b, &alignment);
    assert!(!alignment.is_shortest);
    assert_eq!((alignment.removed(), alignment.added()), (2000, 2000));
    // Nothing in common: no anchors, one hunk.
    let c: Vec<u32> = (20_000..26_000).collect();
    let alignment = align(&a, &c, &mut work);
    verify(&a, &c, &alignment);
    assert_eq!(alignment.hunks.len(), 1);
    assert!(!alignment.is_shortest);
}

#[test]
fn the_work_is_bounded() {
    // Two hostile sequences: everything occurs often, in another order.
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
fn counterparts() {
    let a = [1, 2, 3, 4, 5];
    let b = [1, 9, 9, 3, 4, 5];
    let alignment = align(&a, &b, &mut Work::new(0));
    assert_eq!(alignment.counterpart(0), (0, true));
    assert_eq!(alignment.counterpart(1), (3, false));
    assert_eq!(alignment.counterpart(2), (3, true));
    assert_eq!(alignment.counterpart(4), (5, true));
}
