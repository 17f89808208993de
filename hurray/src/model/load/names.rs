//! The names of the file's tensors as the model sees them: as they are, or through a key map.

use crate::model::load::renaming::Renamed;
use crate::reader::Contents;

/// The names of the file's tensors, by position in file order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'n, 'f> {
    contents: Contents<'n, 'f>,
    renamed: Option<&'n Renamed>,
}

impl<'n, 'f> Names<'n, 'f> {
    pub(super) fn new(contents: Contents<'n, 'f>, renamed: Option<&'n Renamed>) -> Self {
        Self { contents, renamed }
    }

    pub(super) fn len(&self) -> usize {
        self.contents.len()
    }

    #[inline]
    pub(super) fn get(&self, position: usize) -> &'n str
    where
        'f: 'n,
    {
        match self.renamed {
            None => self.contents.name(position),
            Some(renamed) => renamed.names.get(position).map_or("", String::as_str),
        }
    }

    /// Whether the tensor at a position has that name; no tensor has none.
    #[inline]
    pub(super) fn is_at(&self, position: usize, name: &str) -> bool {
        !name.is_empty()
            && match self.renamed {
                None => self.contents.name_bytes(position) == name.as_bytes(),
                Some(_) => self.get(position) == name,
            }
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        match self.renamed {
            None => self.contents.find(name),
            Some(renamed) => renamed.positions.get(name).copied(),
        }
    }
}

/// Positions in ascending order of names, for questions about prefixes.
#[derive(Debug)]
pub(super) struct NamesInOrder(Vec<usize>);

impl NamesInOrder {
    pub(super) fn new(names: Names<'_, '_>) -> Self {
        let mut positions: Vec<usize> = (0..names.len()).collect();
        positions.sort_unstable_by_key(|position| names.get(*position));
        Self(positions)
    }

    pub(super) fn starting_with<'n, 'f: 'n>(
        &'n self,
        names: Names<'n, 'f>,
        prefix: &'n str,
    ) -> impl Iterator<Item = (usize, &'n str)> {
        let start = self.0.partition_point(|position| names.get(*position) < prefix);
        let from_there = self.0.iter().skip(start).map(move |position| (*position, names.get(*position)));
        from_there.take_while(move |(_, name)| name.starts_with(prefix))
    }
}
