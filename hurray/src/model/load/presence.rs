//! What the file has at and under a path: entries, heads, names.

use std::collections::HashMap;

use crate::container::KvRef;
use crate::descriptor::CompositionRule;
use crate::model::load::names::{Names, NamesInOrder};
use crate::model::load::renaming::Renamed;
use crate::model::load::sequence::element_of;
use crate::model::load::table::{Head, Heads, Used};
use crate::model::load::walk::LoadWalk;
use crate::model::load::{Place, Reported};
use crate::model::names::{KEYS, SEQUENCE, SOME, TIED, VERSION, is_beyond, own_key, under};
use crate::model::{KvEntry, Problem, ProblemKind};
use crate::reader::Contents;

/// Our own entries that stand for something at their path.
const NOTES: [&str; 5] = [SOME, SEQUENCE, KEYS, TIED, VERSION];

/// The index of the element that a name belongs to, if that is past the end.
fn past(name: &str, length: usize) -> Option<usize> {
    element_of(name).filter(|index| *index >= length)
}

fn is_of_a_neighbour(neighbours: &[String], name: &str) -> bool {
    neighbours.iter().any(|neighbour| name == neighbour || under(name, neighbour).is_some())
}

fn position_of(contents: Contents<'_, '_>, renamed: Option<&Renamed>, key: &str) -> Option<usize> {
    match renamed {
        Some(renamed) => renamed.keys.get(key).copied(),
        None => contents.kv_position(key),
    }
}

impl<'f> LoadWalk<'f> {
    pub(super) fn has_tensor(&self) -> bool {
        self.find().is_some()
    }

    fn kv_position(&mut self, place: &Place) -> Option<usize> {
        if self.redirects.is_nothing() {
            return None;
        }
        let Self { path, source, renamed, .. } = self;
        path.with_key(place.variants, |key| position_of(source.contents(), renamed.as_ref(), key))
    }

    /// The position of the entry of a key.
    pub(super) fn position_of_key(&self, key: &str) -> Option<usize> {
        position_of(self.source.contents(), self.renamed.as_ref(), key)
    }

    /// The first hit among the keys that begin with `prefix`.
    fn find_key_under<T>(&self, prefix: &str, mut hit: impl FnMut(&str) -> Option<T>) -> Option<T> {
        match &self.renamed {
            Some(renamed) => renamed.keys_starting_with(prefix).find_map(hit),
            None => self.source.contents().kv_starting_with(prefix).find_map(|(key, _)| hit(key)),
        }
    }

    pub(super) fn has_kv(&mut self, place: &Place) -> bool {
        self.kv_position(place).is_some()
    }

    /// The entry of a value, which counts as used from here on.
    pub(super) fn kv(&mut self, place: &Place, wanted: &str) -> Result<KvEntry<'f>, Reported> {
        self.refuse_pieces(place)?;
        match self.kv_position(place).and_then(|position| self.take_kv(position)) {
            Some(value) => Ok(KvEntry(value)),
            None if self.has_tensor() => {
                Err(self.report(Problem::new(ProblemKind::Metadata, wanted, "a tensor of that name")))
            }
            None => Err(self.missing(wanted)),
        }
    }

    fn take_kv(&mut self, position: usize) -> Option<KvRef<'f>> {
        let count = self.source.contents().kv_len();
        self.used_kv.get_or_insert_with(|| Used::new(count)).insert(position);
        self.source.contents().kv_at(position).map(|(_, value)| value)
    }

    /// One of our own entries about the value at the path.
    pub(super) fn note(&mut self, prefix: &str, place: &Place) -> Option<KvRef<'f>> {
        if !self.has_notes || self.redirects.is_nothing() {
            return None;
        }
        let position = self.note_position(prefix, place)?;
        self.take_kv(position)
    }

    pub(super) fn note_position(&mut self, prefix: &str, place: &Place) -> Option<usize> {
        let key = self.path.with_key(place.variants, |key| own_key(prefix, key));
        self.position_of_key(&key)
    }

    /// What one of our own entries about the path says in terms of the names that a key map gave.
    pub(super) fn renamed_note<T: Clone>(
        &mut self,
        prefix: &str,
        of: impl FnOnce(&Renamed) -> &HashMap<usize, T>,
    ) -> Option<T> {
        self.renamed.as_ref()?;
        let position = self.note_position(prefix, &Place::NONE)?;
        of(self.renamed.as_ref()?).get(&position).cloned()
    }

    pub(super) fn use_note(&mut self, prefix: &str, place: &Place) {
        let _ = self.note(prefix, place);
    }

    /// Whether the file has anything at or under the path.
    pub(super) fn is_present(&mut self, place: &Place) -> bool {
        let path = self.path.as_str();
        if path.is_empty() {
            return self.things() > 0;
        }
        if self.redirects.is_nothing() {
            return false;
        }
        let names = self.names();
        if self.neighbours.is_empty()
            && self.next < names.len()
            && let Some(rest) = names.get(self.next).strip_prefix(path)
            && (rest.is_empty() || rest.starts_with('.'))
        {
            return true;
        }
        self.has_tensor() || self.has_kv(place) || self.has_anything_under(place) || self.is_noted(place)
    }

    fn has_anything_under(&mut self, place: &Place) -> bool {
        let mut prefix = self.path.as_str().to_owned();
        prefix.push('.');
        self.has_names_under(&prefix) || self.has_keys_under(&prefix, place)
    }

    /// Whether a key begins with `prefix` and says something of the value, rather than of a variant around it.
    fn has_keys_under(&self, prefix: &str, place: &Place) -> bool {
        let is_of_value = |key: &str| {
            is_beyond(key.get(prefix.len()..).unwrap_or_default(), place.variants)
                && !self.is_of_a_neighbour(key)
        };
        self.find_key_under(prefix, |key| is_of_value(key).then_some(())).is_some()
    }

    fn has_names_under(&mut self, prefix: &str) -> bool {
        self.put_in_order();
        let in_order = self.in_order.as_ref();
        in_order.is_some_and(|in_order| {
            in_order.starting_with(self.names(), prefix).any(|(_, name)| !self.is_of_a_neighbour(name))
        })
    }

    fn put_in_order(&mut self) {
        if self.in_order.is_none() {
            self.in_order = Some(NamesInOrder::new(self.names()));
        }
    }

    /// Whether one of our own entries says that there is something at or under the path.
    fn is_noted(&mut self, place: &Place) -> bool {
        if !self.has_notes {
            return false;
        }
        let noted_somes = match self.note(SOME, place) {
            Some(KvRef::Bool(true)) => 1,
            Some(KvRef::UInt64(somes)) => somes,
            Some(KvRef::Bool(false)) | None => 0,
            Some(other) => {
                let expected = "true or a number of levels (hurray.some)";
                let found = other.to_value().type_name();
                let _ = self.report(Problem::new(ProblemKind::Metadata, expected, found));
                0
            }
        };
        if noted_somes > place.somes {
            return true;
        }
        if [SEQUENCE, KEYS, VERSION].iter().any(|prefix| self.note(prefix, &Place::NONE).is_some())
            || self.note(TIED, place).is_some()
        {
            return true;
        }
        NOTES.iter().any(|prefix| {
            let mut prefix = self.path.key(prefix);
            prefix.push('.');
            self.has_keys_under(&prefix, place)
        })
    }

    /// Whether a tensor, a head or an entry is at or under another path.
    pub(super) fn is_stored(&mut self, path: &str) -> bool {
        if self.names().find(path).is_some() || self.position_of_key(path).is_some() {
            return true;
        }
        let prefix = format!("{path}.");
        self.find_key_under(&prefix, |_| Some(())).is_some() || self.has_names_under(&prefix)
    }

    /// Something of an element at or past an index, if there is anything at or under its path.
    pub(super) fn element_from(&mut self, length: usize) -> Option<usize> {
        let of_names = self.members_under(None, false).iter().find_map(|name| past(name, length));
        let prefixes = [String::new()].into_iter().chain(NOTES.iter().map(|note| (*note).to_owned()));
        of_names.or_else(|| {
            prefixes.into_iter().find_map(|prefix| {
                let prefix = match self.path.as_str() {
                    "" => prefix,
                    path => format!("{prefix}{path}."),
                };
                self.find_key_under(&prefix, |key| past(key.get(prefix.len()..)?, length))
            })
        })
    }

    /// The names of what lies under the path, each without the path and its dot: of the members of the head there,
    /// if there is one, and without what belongs to neighbours. Of `values`, only tensors, partitions and overlays.
    pub(super) fn members_under(&mut self, head: Option<Head>, values: bool) -> Vec<String> {
        if self.redirects.is_nothing() {
            return Vec::new();
        }
        self.put_in_order();
        let (contents, path) = (self.source.contents(), self.path.as_str());
        let heads = values.then(|| &*self.heads.get_or_insert_with(|| Heads::new(contents)));
        let is_wanted = |position: &usize| heads.is_none_or(|heads| heads.is_value(*position));
        let names = Names::new(contents, self.renamed.as_ref());
        let members = head.map_or(0..names.len(), |head| head.position.saturating_add(1)..head.end);
        let of = |position: usize, name: &str| {
            let rest = under(name, path).filter(|_| members.contains(&position) && is_wanted(&position))?;
            (!is_of_a_neighbour(&self.neighbours, name)).then(|| rest.to_owned())
        };
        // By the names and not by the members: heads may lie in heads, each with all that follow.
        let Some(in_order) = &self.in_order else { return Vec::new() };
        let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
        in_order.starting_with(names, &prefix).filter_map(|(position, name)| of(position, name)).collect()
    }

    /// Whether a name under the path belongs to another field of the struct, whose name is a path that leads there.
    fn is_of_a_neighbour(&self, name: &str) -> bool {
        is_of_a_neighbour(&self.neighbours, name)
    }

    /// Counts everything at and under a path as used.
    pub(super) fn use_all(&mut self, path: &str) {
        self.put_in_order();
        let Some(in_order) = &self.in_order else { return };
        let prefix = format!("{path}.");
        let mut positions: Vec<usize> =
            in_order.starting_with(self.names(), &prefix).map(|(position, _)| position).collect();
        positions.extend(self.names().find(path));
        for position in positions {
            self.used.insert(position);
        }
    }

    /// Counts everything at and under the path as used: what was reported once is not unexpected, too.
    #[cold]
    pub(super) fn use_all_here(&mut self) {
        let path = self.path.as_str().to_owned();
        self.use_all(&path);
    }

    /// The head at the path, if there is one. It has to be a whole group's.
    pub(super) fn head(&mut self) -> Result<Option<Head>, Reported> {
        let number = self.pass_head()?;
        Ok(number.and_then(|number| self.heads.as_ref()?.get(number)))
    }

    /// The same for a group that asks no more of it: gives its number among all heads.
    pub(super) fn pass_head(&mut self) -> Result<Option<usize>, Reported> {
        if self.path.is_root() {
            return Ok(None);
        }
        let Some(position) = self.find() else { return Ok(None) };
        let contents = self.source.contents();
        let heads = self.heads.get_or_insert_with(|| Heads::new(contents));
        let problem = match heads.find(position) {
            None => Problem::new(ProblemKind::Layout, "a group of fields", "a tensor of that name"),
            Some((_, head)) if head.rule != CompositionRule::Group => {
                Problem::new(ProblemKind::Layout, "a group of fields", "a composite of another rule")
            }
            Some((_, head)) if !head.is_complete => Problem::new(
                ProblemKind::Format,
                "a whole group (CMP-12)",
                format!("a torn one: its head wants {} members", head.members),
            ),
            Some((number, _)) => {
                self.take(position);
                return Ok(Some(number));
            }
        };
        Err(self.report(problem))
    }
}
