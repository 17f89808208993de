//! The names of tensors, in file order, each once.

use crate::bytes::piece;
use crate::container::NameTable;

/// Names that are unique by their bytes, in one buffer.
pub(super) struct Names {
    text: String,
    /// Where each name ends; it starts where the one before ends.
    ends: Vec<usize>,
    table: NameTable,
}

impl Names {
    pub(super) fn new() -> Self {
        Self { text: String::new(), ends: Vec::new(), table: NameTable::with_capacity(0) }
    }

    /// Appends a name and gives its position, or the position that has it already as the error.
    pub(super) fn push(&mut self, name: &str) -> Result<usize, usize> {
        let position = self.ends.len();
        let (text, ends) = (&self.text, &self.ends);
        self.table.insert(name.as_bytes(), position, |known| name_at(text, ends, known).as_bytes())?;
        self.text.push_str(name);
        self.ends.push(self.text.len());
        Ok(position)
    }

    /// The position of a name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.table.find(name.as_bytes(), |known| name_at(&self.text, &self.ends, known).as_bytes())
    }

    /// Forgets all but the first `len` names.
    pub(super) fn truncate(&mut self, len: usize) {
        let mut kept = Self::new();
        for name in self.iter().take(len) {
            // They were unique before.
            let _ = kept.push(name);
        }
        *self = kept;
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.ends.len()).map(|position| name_at(&self.text, &self.ends, position))
    }
}

fn name_at<'n>(text: &'n str, ends: &[usize], position: usize) -> &'n str {
    piece(ends, position).and_then(|piece| text.get(piece)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_unique_by_bytes() {
        let mut names = Names::new();
        // Composed and decomposed.
        for (position, name) in ["a", "ab", "\u{e9}", "e\u{301}", "a\0b"].into_iter().enumerate() {
            assert_eq!(names.push(name), Ok(position));
        }
        assert_eq!(names.push("\u{e9}"), Err(2));
        assert_eq!(names.len(), 5);
        names.truncate(2);
        assert_eq!(names.push("\u{e9}"), Ok(2));
        assert_eq!(names.push("a"), Err(0));
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "ab", "\u{e9}"]);
    }
}
