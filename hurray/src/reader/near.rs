//! Names that look like one that is not there.

/// How many names may be compared in full.
const MAX_CANDIDATES: usize = 256;
/// How many bytes of a name are compared.
const MAX_LENGTH: usize = 128;
/// How many names are told.
const MAX_NEAR: usize = 3;

/// The names that look most like `wanted`, the nearest first. Looks at each name once, and at few of them
/// closely.
#[cold]
pub(crate) fn near_names<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<Box<str>> {
    let mut near: Vec<(usize, &str)> = names
        .filter(|name| may_be_near(wanted, name))
        .take(MAX_CANDIDATES)
        .filter_map(|name| Some((distance(wanted, name)?, name)))
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().take(MAX_NEAR).map(|(_, name)| name.into()).collect()
}

/// Cheap, and true for all that could be near.
fn may_be_near(wanted: &str, name: &str) -> bool {
    is_part(wanted, name)
        || is_part(name, wanted)
        || is_abbreviation(wanted, name)
        || is_abbreviation(name, wanted)
        || wanted.len().abs_diff(name.len()) <= allowance(wanted)
}

/// Whether one name is the other one without some segments at its start or end.
fn is_part(part: &str, whole: &str) -> bool {
    let cut = whole.strip_suffix(part).map(|rest| rest.ends_with('.'));
    let rest = whole.strip_prefix(part).map(|rest| rest.starts_with('.'));
    cut.unwrap_or(false) || rest.unwrap_or(false)
}

/// Whether one name is the other one with its last segment cut short: `b` for `bias`, but not `1` for `12`.
fn is_abbreviation(short: &str, long: &str) -> bool {
    let goes_on = |rest: &str| !rest.contains('.') && !rest.starts_with(|first: char| first.is_ascii_digit());
    !short.is_empty() && !short.ends_with('.') && long.strip_prefix(short).is_some_and(goes_on)
}

/// How many changes a name may be away.
fn allowance(wanted: &str) -> usize {
    (wanted.len() / 4).clamp(1, 6)
}

/// How far `name` is from `wanted`; `None` if too far to be meant.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    let missing = wanted.matches('.').count().abs_diff(name.matches('.').count());
    if is_part(wanted, name) {
        return Some(missing);
    }
    if is_part(name, wanted) {
        // Perhaps only the group around what is wanted: names that are written like it come first.
        return Some(missing.saturating_add(1));
    }
    let head = |text: &str| -> Vec<u8> { text.bytes().take(MAX_LENGTH).collect() };
    let edits = edits(&head(wanted), &head(name));
    if is_abbreviation(wanted, name) || is_abbreviation(name, wanted) {
        return Some(edits.min(2));
    }
    (edits <= allowance(wanted)).then_some(edits)
}

/// How many bytes must be put in, left out, replaced, or swapped with their neighbour.
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut before_previous: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    let mut last = None;
    for (row, byte) in a.iter().enumerate() {
        let mut current = Vec::with_capacity(previous.len());
        current.push(row.saturating_add(1));
        let mut left_of_other = None;
        for (column, other) in b.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX);
            let replaced = at(&previous, column).saturating_add(usize::from(byte != other));
            let left_out = at(&previous, column.saturating_add(1)).saturating_add(1);
            let put_in = at(&current, column).saturating_add(1);
            let mut least = replaced.min(left_out).min(put_in);
            if last == Some(other) && left_of_other == Some(byte) {
                least = least.min(at(&before_previous, column.saturating_sub(1)).saturating_add(1));
            }
            current.push(least);
            left_of_other = Some(other);
        }
        before_previous = std::mem::replace(&mut previous, current);
        last = Some(byte);
    }
    previous.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{edits, near_names};

    #[test]
    fn counts_edits() {
        assert_eq!(edits(b"kitten", b"sitting"), 3);
        assert_eq!(edits(b"wieght", b"weight"), 1);
        assert_eq!(edits(b"", b"abc"), 3);
        assert_eq!(edits(b"abc", b""), 3);
    }

    #[test]
    fn finds_typing_errors_and_names_with_another_root() {
        let names = ["layers.0.weight", "layers.0.bias", "model.head.weight", "x"];
        let near = |wanted| near_names(wanted, names.into_iter());
        assert_eq!(near("layers.0.wieght"), ["layers.0.weight".into()]);
        assert_eq!(near("head.weight"), ["model.head.weight".into()]);
        assert!(near("something else").is_empty());
    }

    #[test]
    fn a_typing_error_is_nearer_than_the_groups_around_it() {
        let names = ["layers", "layers.0", "layers.0.weight", "layers.0.bias"];
        let near = near_names("layers.0.wieght", names.into_iter());
        assert_eq!(near, ["layers.0.weight".into(), "layers.0".into(), "layers".into()]);
    }

    #[test]
    fn finds_abbreviations_of_the_last_segment() {
        let names = ["layers.0.bias", "layers.10.b", "bias", "layers.0"];
        let near = |wanted| near_names(wanted, names.into_iter());
        assert!(near("b").contains(&"bias".into()));
        assert!(near("layers.0.b").contains(&"layers.0.bias".into()));
        assert!(!near("layers.1").contains(&"layers.10.b".into()));
    }

    #[test]
    fn stays_bounded_with_many_long_names() {
        let long = "a".repeat(60_000);
        let names = vec![long.as_str(); 5000];
        assert!(near_names(&"a".repeat(60_001), names.into_iter()).len() <= 3);
    }
}
