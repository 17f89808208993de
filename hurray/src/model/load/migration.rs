//! Bringing an old file forward: steps by name, before the fields are read.

use crate::container::KvRef;
use crate::model::load::redirect::Target;
use crate::model::load::walk::LoadWalk;
use crate::model::load::{GroupLoader, Loader, Place, Reported};
use crate::model::names::VERSION;
use crate::model::{Problem, ProblemKind};

/// The steps that bring a struct forward from the version that a file has: what `migrate = "path"` is given.
///
/// Names are paths below the struct, in segments joined by dots. A step only says where a field of today lies
/// in the file of then; nothing is read until the field is.
///
/// ```
/// use hurray::{HurrayLoad, HurraySave, Migration, TensorView};
///
/// #[derive(HurraySave)]
/// struct Then<'a> {
///     qkv: TensorView<'a, f32>,
/// }
///
/// #[derive(HurrayLoad)]
/// #[hurray(version = 1, migrate = "forward")]
/// struct Now<'a> {
///     query: TensorView<'a, f32>,
///     key: TensorView<'a, f32>,
///     value: TensorView<'a, f32>,
/// }
///
/// fn forward(from: u32, old: &mut Migration<'_, '_>) {
///     if from < 1 {
///         old.split("qkv", 0, &["query", "key", "value"]);
///     }
/// }
///
/// let qkv: Vec<f32> = (0u8..6).map(f32::from).collect();
/// let bytes = hurray::to_bytes(&Then { qkv: TensorView::from_slice(&qkv, &[6])? })?;
/// let now: Now<'_> = hurray::from_slice(&bytes)?;
/// assert_eq!(now.key.as_slice(), Some(&[2.0, 3.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Migration<'m, 'f> {
    walk: &'m mut LoadWalk<'f>,
}

impl Migration<'_, '_> {
    /// The path of a name below the struct; a name that is none is refused.
    fn full(&mut self, name: &str) -> Option<String> {
        if name.split('.').any(str::is_empty) {
            let found = format!("`{}` in a step of the migration", name.escape_debug());
            self.problem("names in segments that are not empty", found);
            return None;
        }
        Some(match self.walk.path() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        })
    }

    fn all_full(&mut self, names: &[&str]) -> Option<Vec<String>> {
        names.iter().map(|name| self.full(name)).collect()
    }

    fn problem(&mut self, expected: &str, found: impl Into<String>) {
        let _ = self.walk.report(Problem::new(ProblemKind::Refused, expected, found));
    }

    fn redirect(&mut self, path: String, target: Target) {
        let exchanged = self.walk.exchanged.len();
        self.walk.redirects.insert(exchanged, path, target);
    }

    /// Whether the file has anything at or under a name, or under one that it is another name of.
    #[must_use]
    pub fn has(&mut self, name: &str) -> bool {
        self.full(name).is_some_and(|path| self.walk.has_value(&path))
    }

    /// The field `new`, or everything under it, lies under `old`.
    pub fn rename(&mut self, old: &str, new: &str) -> &mut Self {
        if let (Some(old), Some(new)) = (self.full(old), self.full(new)) {
            self.walk.note_migrated(&old, &new);
            self.redirect(new, Target::Path(old));
        }
        self
    }

    /// The tensor `old` holds the fields `new` one after another along an axis, in equal parts.
    pub fn split(&mut self, old: &str, axis: usize, new: &[&str]) -> &mut Self {
        let (Some(path), Some(new)) = (self.full(old), self.all_full(new)) else { return self };
        let parts = new.len();
        for (index, name) in new.into_iter().enumerate() {
            self.walk.note_migrated(&path, &name);
            self.redirect(name, Target::Part { path: path.clone(), axis, index, parts });
        }
        self
    }

    /// The field `new` is the tensors `old` one after another along an axis. Such a field has to own its
    /// elements: they are copied together. At least one name is needed.
    pub fn concatenate(&mut self, old: &[&str], axis: usize, new: &str) -> &mut Self {
        let (Some(paths), Some(new)) = (self.all_full(old), self.full(new)) else { return self };
        if paths.is_empty() {
            let found = format!("a step that makes `{}` of none", new.escape_debug());
            self.problem("the names of the tensors to concatenate", found);
            return self;
        }
        for path in &paths {
            self.walk.note_migrated(path, &new);
        }
        self.redirect(new, Target::Joined { paths, axis });
        self
    }

    /// The field `name` takes its default, whatever the file has under that name. A field without a default is
    /// missing then; an `Option` is `None`.
    pub fn default(&mut self, name: &str) -> &mut Self {
        if let Some(path) = self.full(name) {
            self.redirect(path, Target::Nothing);
        }
        self.discard(name)
    }

    /// What the file has at or under `old` is no longer wanted, and not unexpected.
    pub fn discard(&mut self, old: &str) -> &mut Self {
        if let Some(path) = self.full(old) {
            self.walk.use_all(&path);
        }
        self
    }

    /// Refuses the file.
    pub fn refuse(&mut self, reason: &str) {
        let _ = self.walk.report(Problem::new(ProblemKind::Refused, "", reason));
    }
}

impl<'l, 'f> Loader<'l, 'f> {
    /// A struct of `version`; one of an older version in the file is brought forward first.
    pub(crate) fn versioned(
        self,
        version: u32,
        migrate: impl FnOnce(u32, &mut Migration<'_, 'f>),
    ) -> Result<GroupLoader<'l, 'f>, Reported> {
        let found = match self.walk.note(VERSION, &Place::NONE) {
            None => 0,
            Some(KvRef::UInt64(found)) => u32::try_from(found).unwrap_or(u32::MAX),
            Some(other) => {
                let (expected, found) = ("a number (hurray.version)", other.to_value().type_name());
                return Err(self.walk.report(Problem::new(ProblemKind::Version, expected, found)));
            }
        };
        if found > version {
            let expected = format!("version {version} or an older one");
            return Err(self.walk.report(Problem::new(
                ProblemKind::Version,
                expected,
                format!("version {found}"),
            )));
        }
        let mut group = self.group()?.with_version(found);
        if found < version {
            migrate(found, &mut Migration { walk: group.walk() });
        }
        Ok(group)
    }
}
