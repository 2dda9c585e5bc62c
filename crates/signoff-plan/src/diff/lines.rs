//! Lines that differ between two texts.

/// Beyond this many comparisons only the common beginning and end are left out.
const WORK: usize = 1_000_000;

/// The lines of each text that the other one does not have at that place.
pub(super) fn differing_lines(before: &str, after: &str) -> (String, String) {
    let before: Vec<&str> = before.split('\n').collect();
    let after: Vec<&str> = after.split('\n').collect();
    let start = common(before.iter(), after.iter());
    let (old, new) = (tail(&before, start), tail(&after, start));
    let end = common(old.iter().rev(), new.iter().rev());
    let old = old.get(..old.len() - end).unwrap_or_default();
    let new = new.get(..new.len() - end).unwrap_or_default();
    if old.len().saturating_mul(new.len()) > WORK {
        return (old.join("\n"), new.join("\n"));
    }
    let (kept_old, kept_new) = longest_common(old, new);
    (lines_without(old, &kept_old), lines_without(new, &kept_new))
}

fn common<'a>(a: impl Iterator<Item = &'a &'a str>, b: impl Iterator<Item = &'a &'a str>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

fn tail<'s, 'a>(lines: &'s [&'a str], start: usize) -> &'s [&'a str] {
    lines.get(start..).unwrap_or_default()
}

fn lines_without(lines: &[&str], kept: &[bool]) -> String {
    let lines = lines.iter().zip(kept).filter(|(_, kept)| !**kept);
    let lines: Vec<_> = lines.map(|(line, _)| *line).collect();
    lines.join("\n")
}

/// Which lines of each are part of a longest common subsequence.
fn longest_common(old: &[&str], new: &[&str]) -> (Vec<bool>, Vec<bool>) {
    let width = new.len() + 1;
    // Length of the best match of the rest, by place in both texts.
    let mut best = vec![0_u32; (old.len() + 1) * width];
    let at = |best: &[u32], i: usize, j: usize| best.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let length = if a == b {
                at(&best, i + 1, j + 1) + 1
            } else {
                at(&best, i + 1, j).max(at(&best, i, j + 1))
            };
            if let Some(slot) = best.get_mut(i * width + j) {
                *slot = length;
            }
        }
    }
    let (mut kept_old, mut kept_new) = (vec![false; old.len()], vec![false; new.len()]);
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (old.get(i), new.get(j)) {
        if a == b {
            if let (Some(x), Some(y)) = (kept_old.get_mut(i), kept_new.get_mut(j)) {
                (*x, *y) = (true, true);
            }
            (i, j) = (i + 1, j + 1);
        } else if at(&best, i + 1, j) >= at(&best, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    (kept_old, kept_new)
}

#[cfg(test)]
mod tests {
    use super::differing_lines;

    #[track_caller]
    fn check(before: &str, after: &str, expected: (&str, &str)) {
        let (old, new) = differing_lines(before, after);
        assert_eq!((old.as_str(), new.as_str()), expected);
    }

    #[test]
    fn only_differing_lines_are_left() {
        check("a\nb\nc", "a\nx\nc", ("b", "x"));
        check("a\nb\nc\nd\ne", "a\nc\nd\nx\ne", ("b", "x"));
        check("a", "a\nb", ("", "b"));
        check("a\nb", "b", ("a", ""));
        check("a\na\nb", "a\nb", ("a", ""));
        check("same", "same", ("", ""));
    }
}
