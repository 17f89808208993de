//! Groups: the fields of a struct, one after another.

use std::fmt::Display;

use crate::model::load::walk::{LoadWalk, Segment};
use crate::model::load::{Fill, Loader, Place, Reported, filled};
use crate::model::names::Mark;
use crate::model::{Field, HurrayLoad, Problem, ProblemKind};

/// A group that is being loaded: gives fields, one after another.
///
/// Ask for every field before looking at the first result, so that all problems are reported.
pub struct GroupLoader<'l, 'f> {
    /// Its innermost frame is this group's, as long as the group is not dropped.
    walk: &'l mut LoadWalk<'f>,
}

impl<'l, 'f> GroupLoader<'l, 'f> {
    pub(super) fn open(walk: &'l mut LoadWalk<'f>, is_flattened: bool) -> Result<Self, Reported> {
        walk.open(is_flattened)?;
        Ok(Self { walk })
    }

    /// The same for a struct with a version, which the file has in `version`.
    pub(super) fn with_version(self, version: u32) -> Self {
        self.walk.frame.version = Some(version);
        self
    }

    #[inline]
    pub(super) fn walk(&mut self) -> &mut LoadWalk<'f> {
        self.walk
    }

    /// Whether the fields are among those of the group around this one.
    #[inline]
    pub(super) fn is_flattened(&self) -> bool {
        self.walk.frame.is_flattened()
    }

    /// The path of the group in the file.
    #[must_use]
    pub fn path(&self) -> &str {
        self.walk.path()
    }

    /// Loads the field of a name; a dotted name is a path.
    ///
    /// # Errors
    ///
    /// [`Reported`], by the field's own impl; for a name that is empty or has an empty segment.
    pub fn field<T: HurrayLoad<'f>>(&mut self, name: &str) -> Result<T, Reported> {
        if name.split('.').any(str::is_empty) {
            let found = format!("a field `{}`", name.escape_debug());
            let expected = "a name in segments that are not empty";
            return Err(self.walk.report(Problem::new(ProblemKind::Refused, expected, found)));
        }
        let mark = self.walk.push(Segment::Name, name);
        let value = self.walk.enter(&Place::NONE, T::load);
        self.walk.pop(mark);
        value
    }

    /// Loads a place of a tuple.
    pub(crate) fn place<T: HurrayLoad<'f>>(&mut self, index: usize) -> Result<T, Reported> {
        let mark = self.walk.push_index(index);
        let value = self.walk.enter(&Place::NONE, T::load);
        self.walk.pop(mark);
        value
    }

    /// Loads a field with all that the derive knows of it.
    #[inline]
    pub(crate) fn plain_field<T>(
        &mut self,
        field: &'static Field,
        load: impl Fn(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        if field.is_name_only && !self.is_flattened() && self.walk.redirects.is_idle() {
            let mark = self.walk.push(Segment::Field(field.rust), field.name);
            let value = load(Loader::root(&mut *self.walk));
            self.walk.pop(mark);
            return value;
        }
        filled(load, |fill| self.fill_field(field, fill))?.ok_or(Reported::WAS_CHECKED)
    }

    /// Loads a field with all that the derive knows of it. `default` stands in where the file has nothing.
    pub(crate) fn derived_field<T>(
        &mut self,
        field: &'static Field,
        default: impl FnOnce() -> T,
        load: impl Fn(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        Ok(filled(load, |fill| self.fill_field_if_there(field, true, fill))?.unwrap_or_else(default))
    }

    /// Loads a field; whether what was filled in counts.
    fn fill_field(&mut self, field: &'static Field, fill: Fill<'_, 'f>) -> Result<bool, Reported> {
        if !field.aliases.is_empty() || !field.neighbours.is_empty() || self.is_flattened() {
            return self.fill_field_if_there(field, false, fill);
        }
        let mark = self.walk.push(Segment::Field(field.rust), field.name);
        let scope = self.walk.frame.scope;
        let filled =
            self.walk.enter(&Place::NONE, |Loader { walk, place }| walk.described(scope, field, place, fill));
        self.walk.pop(mark);
        filled.map(|()| true)
    }

    /// The same, or leaves it to a default, where the file has nothing, or something that may be passed over.
    fn fill_field_if_there(
        &mut self,
        field: &'static Field,
        has_default: bool,
        fill: Fill<'_, 'f>,
    ) -> Result<bool, Reported> {
        if self.is_flattened() {
            self.come_to(field)?;
        }
        let outside = self.walk.neighbours.len();
        for neighbour in field.neighbours {
            let mark = self.walk.path.push(neighbour);
            self.walk.neighbours.push(self.walk.path.as_str().to_owned());
            self.walk.path.truncate(mark);
        }
        let mut mark = self.walk.push(Segment::Field(field.rust), field.name);
        if !field.aliases.is_empty()
            && let Some(alias) = self.present_alias(field, mark)
        {
            self.walk.pop(mark);
            mark = self.walk.push(Segment::Field(field.rust), alias);
            self.walk.note_renamed(field.name);
        }
        let (scope, takes_default) = (self.walk.frame.scope, has_default && self.takes_default(field));
        let filled = self.walk.enter(&Place::NONE, |Loader { walk, place }| {
            if !takes_default {
                return walk.described(scope, field, place, fill).map(|()| true);
            }
            if !walk.is_present(place) {
                walk.note_defaulted();
                return Ok(false);
            }
            let before = walk.problems();
            match walk.described(scope, field, place, fill) {
                Err(_) if walk.tolerate_since(before) => {
                    walk.note_defaulted();
                    Ok(false)
                }
                filled => filled.map(|()| true),
            }
        });
        self.walk.pop(mark);
        self.walk.neighbours.truncate(outside);
        filled
    }

    /// Whether the file may lack a field: not if the struct that it holds is of a version that has it.
    fn takes_default(&self, field: &Field) -> bool {
        match (field.since, self.walk.frame.version) {
            (Some(since), Some(version)) => version < since,
            _ => true,
        }
    }

    /// The alias under which the file has a field that it does not have under its name.
    fn present_alias(&mut self, field: &Field, mark: Mark) -> Option<&'static str> {
        let named = self.walk.is_present(&Place::NONE);
        let mut found = None;
        for &alias in field.aliases {
            self.walk.pop(mark);
            self.walk.push(Segment::Field(field.rust), alias);
            if !self.walk.is_present(&Place::NONE) {
                continue;
            }
            if named || found.is_some() {
                let other = found.unwrap_or(field.name);
                let both = format!("it as `{other}` and as `{alias}`");
                let _ =
                    self.walk.report(Problem::new(ProblemKind::Refused, "the field under one name", both));
            }
            found = found.or(Some(alias));
        }
        self.walk.pop(mark);
        self.walk.push(Segment::Field(field.rust), field.name);
        found.filter(|_| !named)
    }

    /// Passes over a field that a save writes and a load does not want.
    pub(crate) fn skipped(&mut self, field: &'static Field) {
        let mark = self.walk.push(Segment::Field(field.rust), field.name);
        self.walk.use_all_here();
        self.walk.pop(mark);
    }

    /// Refuses a flattened field with a name that another one beside it has.
    fn come_to(&mut self, field: &'static Field) -> Result<(), Reported> {
        let Some((name, other)) = self.walk.flat.come_to(field) else { return Ok(()) };
        let found =
            format!("`{}` and `{}` with the name `{name}`, one of them flattened", other.rust, field.rust);
        Err(self.walk.report(Problem::new(ProblemKind::Refused, "one field of a name", found)))
    }

    /// Loads the fields of a struct that are among those of this group, which are `beside` it.
    pub(crate) fn flattened<T>(
        &mut self,
        beside: &'static [Field],
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        self.walk.flat.put_beside(beside);
        load(Loader::at(&mut *self.walk, &Place { is_flattened: true, ..Place::NONE }))
    }

    /// Reports what a check of the user's says of a field.
    #[cold]
    pub(crate) fn refuse_field(&mut self, name: &'static str, error: &dyn Display) -> Reported {
        let mark = self.walk.push(Segment::Name, name);
        let reported = self.refuse(error);
        self.walk.pop(mark);
        reported
    }

    /// Reports what a check of the user's says of the struct.
    #[cold]
    pub(crate) fn refuse(&mut self, error: &dyn Display) -> Reported {
        self.walk.report(Problem::new(ProblemKind::Refused, "", error.to_string()))
    }

    /// Binds a name of shape rules to the value of a field.
    pub(crate) fn bind(&mut self, name: &'static str, size: Option<u64>) {
        self.walk.bind(name, size);
    }

    /// Ends the group.
    ///
    /// # Errors
    ///
    /// None today; a group that was not finished counts as finished when it is dropped.
    pub fn finish(self) -> Result<(), Reported> {
        Ok(())
    }
}

impl Drop for GroupLoader<'_, '_> {
    fn drop(&mut self) {
        self.walk.close();
    }
}
