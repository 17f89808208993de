//! Names through a key map: those of tensors, the keys of entries, and the paths that our own entries are about.

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};
use std::ops::{Bound, Range};

use crate::container::{KvArray, KvValue};
use crate::model::load::KeyMap;
use crate::model::load::sequence::index_of;
use crate::model::load::walk::LoadWalk;
use crate::model::names::{
    KEYS, RESERVED, SEQUENCE, TIED, escape_key, own_key, split_own_key, under, unescape_key,
};
use crate::model::{Problem, ProblemKind};
use crate::reader::Contents;

/// Names that a key map gave.
#[derive(Debug, Default)]
pub(super) struct Renamed {
    /// Of tensors, by position in file order.
    pub(super) names: Vec<String>,
    pub(super) positions: HashMap<String, usize>,
    /// The positions of entries by their keys.
    pub(super) keys: BTreeMap<String, usize>,
    /// What our own entries say in terms of the new names, by position.
    pub(super) sequences: HashMap<usize, Vec<bool>>,
    pub(super) map_keys: HashMap<usize, Vec<String>>,
    pub(super) ties: HashMap<usize, String>,
}

impl Renamed {
    /// The keys that begin with `prefix`, in ascending order.
    pub(super) fn keys_starting_with<'r>(&'r self, prefix: &'r str) -> impl Iterator<Item = &'r str> {
        let from_there = self
            .keys
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
            .map(|(key, _)| key.as_str());
        from_there.take_while(move |key| key.starts_with(prefix))
    }
}

/// An entry of the file, and where in the list of paths is what it is about.
struct Entry {
    position: usize,
    /// `hurray.seq.` or the like; nothing for an entry of the model.
    prefix: &'static str,
    path: usize,
    /// The elements, values or targets that it names.
    parts: Range<usize>,
    value: KvValue,
}

/// The names and paths of a file before and after the map.
struct Paths {
    tensors: BTreeMap<String, String>,
    old: Vec<String>,
    new: Vec<String>,
}

impl Paths {
    fn old(&self, index: usize) -> &str {
        self.old.get(index).map_or("", String::as_str)
    }

    /// The new path. One that no step of the map names goes where the tensors under it go.
    fn renamed(&self, index: usize) -> &str {
        let (old, new) = (self.old(index), self.new.get(index).map_or("", String::as_str));
        if old != new || old.is_empty() {
            return new;
        }
        self.with_tensors(old).unwrap_or(new)
    }

    /// Where the first tensor under a path goes, without what it has below the path.
    fn with_tensors(&self, path: &str) -> Option<&str> {
        let prefix = format!("{path}.");
        let (name, moved) = self.tensors.range(prefix.clone()..).next()?;
        let below = name.strip_prefix(&prefix)?.split('.').count();
        let end = moved.rmatch_indices('.').map(|(at, _)| at).nth(below.checked_sub(1)?);
        moved.get(..end.unwrap_or(0))
    }
}

fn entries(contents: Contents<'_, '_>, paths: &mut Vec<String>) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(contents.kv_len());
    for position in 0..contents.kv_len() {
        let Some((key, value)) = contents.kv_at(position) else { continue };
        let (prefix, about) = match split_own_key(key) {
            Some(own) => own,
            // About the file as a whole: `hurray.descriptors`, `hurray.crc32c`.
            None if under(key, RESERVED).is_some() => continue,
            None => ("", key),
        };
        let path = paths.len();
        paths.push(about.to_owned());
        let value = if prefix.is_empty() { KvValue::Bool(true) } else { value.to_value() };
        let below = |part: &str| if about.is_empty() { part.to_owned() } else { format!("{about}.{part}") };
        match (prefix, &value) {
            (SEQUENCE, KvValue::Array(KvArray::Bools(present))) => {
                let indices = present.iter().enumerate().filter(|(_, present)| **present);
                paths.extend(indices.map(|(index, _)| below(&index.to_string())));
            }
            (KEYS, KvValue::Array(KvArray::Strings(keys))) => {
                paths.extend(keys.iter().map(|key| below(&escape_key(key))));
            }
            (TIED, KvValue::String(target)) => paths.push(target.clone()),
            _ => {}
        }
        entries.push(Entry { position, prefix, path, parts: path.saturating_add(1)..paths.len(), value });
    }
    entries
}

impl LoadWalk<'_> {
    /// Gives tensors and entries the names that the key map makes of theirs.
    pub(super) fn rename(&mut self) {
        let Some(map) = self.options.key_map.clone().filter(|map| !map.is_empty()) else { return };
        let contents = self.source.contents();
        let tensors: Vec<String> =
            (0..contents.len()).map(|position| contents.name(position).to_owned()).collect();
        let mut old = Vec::new();
        let entries = entries(contents, &mut old);
        let (names, new) = apply(&map, &tensors, &old);
        let mut renamed = self.rename_tensors(&tensors, names);
        let pairs = tensors.into_iter().zip(renamed.names.iter().cloned());
        let paths = Paths { tensors: pairs.collect(), old, new };
        self.rename_entries(&entries, &paths, &mut renamed);
        self.renamed = Some(renamed);
    }

    fn rename_tensors(&mut self, old: &[String], names: Vec<String>) -> Renamed {
        let mut renamed = Renamed { names, ..Renamed::default() };
        for (position, (old_name, name)) in old.iter().zip(&renamed.names).enumerate() {
            if old_name != name {
                self.report.push_renamed(old_name, name);
            }
            if let Some(first) = renamed.positions.get(name) {
                let first = old.get(*first).map_or("", String::as_str);
                self.refuse_renamed(name, "one tensor of that name", &format!("`{first}` and `{old_name}`"));
            } else {
                renamed.positions.insert(name.clone(), position);
            }
        }
        renamed
    }

    fn rename_entries(&mut self, entries: &[Entry], paths: &Paths, renamed: &mut Renamed) {
        // What stays at the root is about the root of the file: what comes there takes its place.
        let stays_at_root = |entry: &Entry| !entry.prefix.is_empty() && paths.old(entry.path).is_empty();
        let (at_root, others): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| stays_at_root(entry));
        for entry in others.into_iter().chain(at_root) {
            let (old, new) = (paths.old(entry.path), self.rename_parts(entry, paths, renamed));
            let key = match (entry.prefix, new.as_str()) {
                ("", "") => old.to_owned(),
                ("", new) => new.to_owned(),
                (prefix, new) => own_key(prefix, new),
            };
            if entry.prefix.is_empty() && old != key {
                self.report.push_renamed(old, &key);
            }
            match renamed.keys.entry(key) {
                Slot::Vacant(slot) => _ = slot.insert(entry.position),
                Slot::Occupied(slot) if !stays_at_root(entry) => {
                    self.refuse_renamed(slot.key(), "one entry of that key", "two");
                }
                Slot::Occupied(_) => {}
            }
        }
    }

    /// The new path of an entry. What it says is put in terms of the new names.
    fn rename_parts(&mut self, entry: &Entry, paths: &Paths, renamed: &mut Renamed) -> String {
        let mut path = paths.renamed(entry.path).to_owned();
        let parts: Vec<&str> = entry.parts.clone().map(|part| paths.renamed(part)).collect();
        if entry.prefix == TIED {
            if let Some(target) = parts.first() {
                renamed.ties.insert(entry.position, (*target).to_owned());
            }
            return path;
        }
        if path == paths.old(entry.path)
            && let Some(first) = parts.first()
        {
            path = first.rsplit_once('.').map_or("", |(parent, _)| parent).to_owned();
        }
        let below: Option<Vec<&str>> =
            parts.iter().map(|part| under(part, &path).filter(|part| !part.contains('.'))).collect();
        let fits = below.is_some_and(|below| match &entry.value {
            KvValue::Array(KvArray::Bools(present)) if entry.prefix == SEQUENCE => {
                let Some(new) = renumbered(present, &below) else { return false };
                renamed.sequences.insert(entry.position, new);
                true
            }
            KvValue::Array(KvArray::Strings(_)) if entry.prefix == KEYS => {
                let keys = below.into_iter().map(|key| unescape_key(key).into_owned());
                renamed.map_keys.insert(entry.position, keys.collect());
                true
            }
            _ => true,
        });
        if !fits {
            let key = own_key(entry.prefix, paths.old(entry.path));
            let expected = format!("what `{key}` holds together under one path");
            self.refuse_renamed(&key, &expected, "names that the map tears apart");
        }
        path
    }

    fn refuse_renamed(&mut self, path: &str, expected: &str, found: &str) {
        let mut problem = Problem::new(ProblemKind::Refused, format!("{expected} after the key map"), found);
        problem.path = path.to_owned();
        self.report.push(problem, self.limits().problems);
    }
}

/// Which elements of a sequence there are after those that were there got other indices; `None` for indices that
/// are none, or past the old end.
fn renumbered(present: &[bool], segments: &[&str]) -> Option<Vec<bool>> {
    let indices = segments.iter().map(|segment| index_of(segment)).collect::<Option<Vec<_>>>()?;
    let old = present.iter().enumerate().filter(|(_, present)| **present).map(|(index, _)| index);
    if indices.iter().copied().eq(old) {
        return Some(present.to_vec());
    }
    let length = indices.iter().max().map_or(0, |last| last.saturating_add(1));
    let mut new = vec![false; Some(length).filter(|length| *length <= present.len())?];
    for index in indices {
        let is_taken = std::mem::replace(new.get_mut(index)?, true);
        if is_taken {
            return None;
        }
    }
    Some(new)
}

/// Both lists through the map: names of tensors and paths see the same steps, indices are counted over both.
fn apply(map: &KeyMap, tensors: &[String], paths: &[String]) -> (Vec<String>, Vec<String>) {
    let mut names = map.apply(tensors.iter().chain(paths).cloned().collect(), tensors.len());
    let paths = names.split_off(tensors.len().min(names.len()));
    (names, paths)
}
