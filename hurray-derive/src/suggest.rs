//! The nearest of the known names, for a mistyped one.

/// The known name nearest to `wrong`, if it is near enough to be meant.
pub(crate) fn nearest<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let allowed = wrong.chars().count().div_ceil(3).min(3);
    known
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for row in 0..from.len() {
        let mut this = vec![row + 1; to.len() + 1];
        for column in 0..to.len() {
            let replaced = last[column] + usize::from(from[row] != to[column]);
            let mut best = replaced.min(last[column + 1] + 1).min(this[column] + 1);
            let swapped = row > 0 && column > 0 && from[row] == to[column - 1] && from[row - 1] == to[column];
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            this[column + 1] = best;
        }
        before = last;
        last = this;
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn counts_swapped_neighbours_once() {
        assert_eq!(distance("reanme", "rename"), 1);
        assert_eq!(distance("", "kv"), 2);
        assert_eq!(distance("shape", "shape"), 0);
    }

    #[test]
    fn suggests_only_what_is_near() {
        let known = ["rename", "rename_all", "shape", "kv"];
        assert_eq!(nearest("shpae", known), Some("shape"));
        assert_eq!(nearest("renameall", known), Some("rename_all"));
        assert_eq!(nearest("serialize", known), None);
        assert_eq!(nearest("x", known), None);
    }
}
