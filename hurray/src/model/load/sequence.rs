//! Sequences and maps: how many elements there are, and under which names.

use std::borrow::Cow;

use crate::container::{KvArray, KvRef, KvValue};
use crate::model::load::walk::{LoadWalk, Segment};
use crate::model::load::{Loader, Place, Reported};
use crate::model::names::{KEYS, SEQUENCE, unescape_key};
use crate::model::{HurrayLoad, Problem, ProblemKind};

impl<'f> Loader<'_, 'f> {
    /// The elements of a sequence, saved as a group.
    pub(crate) fn sequence<T: HurrayLoad<'f>>(self) -> Result<Vec<T>, Reported> {
        let Self { walk, place } = self;
        walk.refuse_pieces(place)?;
        walk.refuse_flattened(place, "a sequence")?;
        let (length, noted) = walk.sequence_length()?;
        let allowed = walk.limits().sequence;
        if !walk.exchanged.is_empty() && walk.redirects.exceeds_elements(length, allowed) {
            let expected = format!("at most {allowed} elements through ties (`Limits::sequence`)");
            return Err(walk.report(Problem::new(ProblemKind::Limit, expected, "more")));
        }
        walk.open(false)?;
        // No more than one element for each thing that the file has; a sequence of empty elements grows.
        let mut values = Vec::with_capacity(length.min(walk.things()));
        let mut failed = None;
        let mut mark = walk.push_index(0);
        for index in 0..length {
            let noted = noted.as_ref().and_then(|noted| noted.get(index).copied());
            let value = walk.enter(&Place::NONE, |Loader { walk, place }| {
                walk.check_noted(noted, place)?;
                T::load(Loader::at(walk, place))
            });
            walk.pop(mark);
            // Before the value is put down: where that is not in a cache, what is written after it is long in coming, and
            // the path is read at once.
            mark = walk.push_index(index.saturating_add(1));
            match value {
                Ok(value) => values.push(value),
                Err(reported) => failed = Some(reported),
            }
        }
        walk.pop(mark);
        walk.close();
        failed.map_or(Ok(values), Err)
    }

    /// The values of a map, saved as a group, with their keys.
    pub(crate) fn map<T: HurrayLoad<'f>>(self) -> Result<Vec<(String, T)>, Reported> {
        let Self { walk, place } = self;
        walk.refuse_pieces(place)?;
        walk.refuse_flattened(place, "a map")?;
        let keys = walk.map_keys(T::IS_LEAF)?;
        walk.open(false)?;
        let mut values = Vec::with_capacity(keys.len());
        let mut failed = None;
        for (segment, key) in keys {
            let mark = walk.push(Segment::Name, &segment);
            match walk.enter(&Place::NONE, T::load) {
                Ok(value) => values.push((key, value)),
                Err(reported) => failed = Some(reported),
            }
            walk.pop(mark);
        }
        walk.close();
        failed.map_or(Ok(values), Err)
    }
}

impl LoadWalk<'_> {
    /// What names its own elements has no place among fields, whose names are known.
    fn refuse_flattened(&mut self, place: &Place, what: &str) -> Result<(), Reported> {
        if !place.is_flattened {
            return Ok(());
        }
        let found = format!("`flatten` on {what}, whose names are not known beforehand");
        Err(self.report(Problem::new(ProblemKind::Refused, "a struct to flatten", found)))
    }

    /// The length of the sequence at the path: from our own entry about it, else from the head, else from the
    /// names of its elements. Our own entry says of each element whether it wrote anything.
    fn sequence_length(&mut self) -> Result<(usize, Option<Vec<bool>>), Reported> {
        let noted = self.note(SEQUENCE, &Place::NONE);
        let head = self.head()?;
        if let Some(noted) = noted {
            return match noted {
                KvRef::Array(array) if array.is_of_bools() => {
                    let renamed = self.renamed_note(SEQUENCE, |renamed| &renamed.sequences);
                    let length = self.bounded(renamed.as_ref().map_or(array.len(), Vec::len))?;
                    self.refuse_elements_from(length)?;
                    let noted = || array.iter().map(|value| value == KvRef::Bool(true)).collect();
                    Ok((length, Some(renamed.unwrap_or_else(noted))))
                }
                other => {
                    let found = other.to_value().type_name();
                    Err(self.report(Problem::new(
                        ProblemKind::Metadata,
                        "an array of bool (hurray.seq)",
                        found,
                    )))
                }
            };
        }
        if let Some(head) = head {
            return Ok((self.bounded(usize::try_from(head.members).unwrap_or(usize::MAX))?, None));
        }
        Ok((self.length_from_names()?, None))
    }

    /// Refuses elements past the end that our own entry says a sequence has.
    fn refuse_elements_from(&mut self, length: usize) -> Result<(), Reported> {
        let Some(index) = self.element_from(length) else { return Ok(()) };
        self.use_all_here();
        let expected = format!("{length} elements, as `{}` says", self.path.key(SEQUENCE));
        let problem = Problem::new(ProblemKind::Metadata, expected, format!("something of element {index}"));
        Err(self.report(problem))
    }

    /// Holds an element against what our own entry says of it: whether it wrote anything.
    #[inline]
    fn check_noted(&mut self, noted: Option<bool>, place: &Place) -> Result<(), Reported> {
        let Some(noted) = noted.filter(|_| !self.redirects.is_nothing()) else { return Ok(()) };
        let is_present = self.is_present(place);
        if noted == is_present {
            return Ok(());
        }
        self.use_all_here();
        let word = |is_there| if is_there { "something" } else { "nothing" };
        let expected = format!("{} there, as its `hurray.seq` says", word(noted));
        Err(self.report(Problem::new(ProblemKind::Metadata, expected, word(is_present))))
    }

    fn bounded(&mut self, length: usize) -> Result<usize, Reported> {
        let allowed = self.limits().sequence;
        if u64::try_from(length).is_ok_and(|length| length <= allowed) {
            return Ok(length);
        }
        let expected = format!("at most {allowed} elements (`Limits::sequence`)");
        Err(self.report(Problem::new(ProblemKind::Limit, expected, length.to_string())))
    }

    /// Elements `0`, `1`, ...: as many as there are, without a gap.
    fn length_from_names(&mut self) -> Result<usize, Reported> {
        let mut indices: Vec<usize> =
            self.members_under(None, false).into_iter().filter_map(|name| element_of(&name)).collect();
        indices.sort_unstable();
        indices.dedup();
        if indices.is_empty() && !self.is_root() {
            return Err(self.missing("a sequence"));
        }
        if let Some((gap, _)) = indices.iter().enumerate().find(|(position, index)| position != *index) {
            let found = format!("element {} after {gap} elements", indices.get(gap).copied().unwrap_or(gap));
            let mark = self.push_index(gap);
            let problem = Problem::new(ProblemKind::Missing, "elements 0, 1, ... without a gap", found);
            let reported = self.report(problem);
            self.pop(mark);
            return Err(reported);
        }
        Ok(indices.len())
    }

    /// Refuses a list of keys that has one twice.
    fn refuse_doubles(&mut self, keys: &[String]) -> Result<(), Reported> {
        let mut keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        keys.sort_unstable();
        let Some([key, _]) = keys.array_windows().find(|[key, next]| key == next) else { return Ok(()) };
        let expected = format!("each key once in `{}`", self.path.key(KEYS));
        let found = format!("the key `{}` twice", key.escape_debug());
        Err(self.report(Problem::new(ProblemKind::Metadata, expected, found)))
    }

    /// The segment and the key of each value of the map at the path.
    fn map_keys(&mut self, values_are_leaves: bool) -> Result<Vec<(String, String)>, Reported> {
        let noted = self.note(KEYS, &Place::NONE);
        let head = self.head()?;
        if let Some(noted) = noted {
            return match noted.to_value() {
                KvValue::Array(KvArray::Strings(keys)) => {
                    let keys = self.renamed_note(KEYS, |renamed| &renamed.map_keys).unwrap_or(keys);
                    self.refuse_doubles(&keys)?;
                    let segment = |key: &str| crate::model::names::escape_key(key).into_owned();
                    Ok(keys.into_iter().map(|key| (segment(&key), key)).collect())
                }
                other => {
                    let found = other.type_name();
                    Err(self.report(Problem::new(
                        ProblemKind::Metadata,
                        "an array of utf8 (hurray.keys)",
                        found,
                    )))
                }
            };
        }
        let names = self.members_under(head, values_are_leaves);
        if names.is_empty() && head.is_none() && !self.is_root() {
            return Err(self.missing("a map"));
        }
        let mut segments: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .map(|name| if values_are_leaves { name } else { name.split('.').next().unwrap_or(name) })
            .collect();
        segments.sort_unstable();
        segments.dedup();
        let mut keys: Vec<Cow<'_, str>> = segments.iter().map(|segment| unescape_key(segment)).collect();
        keys.sort_unstable();
        if let Some([key, _]) = keys.array_windows().find(|[key, next]| key == next) {
            let found = format!("two names for the key `{}`", key.escape_debug());
            return Err(self.report(Problem::new(ProblemKind::Refused, "one name for each key", found)));
        }
        Ok(segments
            .into_iter()
            .map(|segment| (segment.to_owned(), Cow::into_owned(unescape_key(segment))))
            .collect())
    }
}

/// The index of the element that a name under a sequence belongs to.
pub(super) fn element_of(rest: &str) -> Option<usize> {
    index_of(rest.split('.').next().unwrap_or(rest))
}

/// The index that a segment is; only the form that is written counts.
pub(super) fn index_of(segment: &str) -> Option<usize> {
    let is_canonical = segment == "0" || !segment.starts_with('0');
    (is_canonical && segment.bytes().all(|byte| byte.is_ascii_digit())).then(|| segment.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::index_of;

    #[test]
    fn only_plain_decimals_are_indices() {
        assert_eq!(index_of("0"), Some(0));
        assert_eq!(index_of("120"), Some(120));
        assert_eq!(index_of("007"), None);
        assert_eq!(index_of("+1"), None);
        assert_eq!(index_of(""), None);
        assert_eq!(index_of("99999999999999999999999"), None);
    }
}
