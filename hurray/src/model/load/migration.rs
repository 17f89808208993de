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
    fn full(&self, name: &str) -> String {
        match self.walk.path() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        }
    }

    fn redirect(&mut self, path: String, target: Target) {
        let exchanged = self.walk.exchanged.len();
        self.walk.redirects.insert(exchanged, path, target);
    }

    /// Whether the file has anything at or under a name.
    #[must_use]
    pub fn has(&mut self, name: &str) -> bool {
        let path = self.full(name);
        self.walk.is_stored(&path)
    }

    /// The field `new`, or everything under it, lies under `old`.
    pub fn rename(&mut self, old: &str, new: &str) -> &mut Self {
        let (old, new) = (self.full(old), self.full(new));
        self.walk.note_migrated(&old, &new);
        self.redirect(new, Target::Path(old));
        self
    }

    /// The tensor `old` holds the fields `new` one after another along an axis, in equal parts.
    pub fn split(&mut self, old: &str, axis: usize, new: &[&str]) -> &mut Self {
        let path = self.full(old);
        for (index, name) in new.iter().enumerate() {
            let name = self.full(name);
            self.walk.note_migrated(&path, &name);
            let target = Target::Part { path: path.clone(), axis, index, parts: new.len() };
            self.redirect(name, target);
        }
        self
    }

    /// The field `new` is the tensors `old` one after another along an axis. Such a field has to own its
    /// elements: they are copied together.
    pub fn concatenate(&mut self, old: &[&str], axis: usize, new: &str) -> &mut Self {
        let paths: Vec<String> = old.iter().map(|name| self.full(name)).collect();
        let new = self.full(new);
        for path in &paths {
            self.walk.note_migrated(path, &new);
        }
        self.redirect(new, Target::Joined { paths, axis });
        self
    }

    /// The field `name` takes its default, whatever the file has under that name.
    pub fn default(&mut self, name: &str) -> &mut Self {
        let path = self.full(name);
        self.redirect(path, Target::Nothing);
        self.discard(name)
    }

    /// What the file has at or under `old` is no longer wanted, and not unexpected.
    pub fn discard(&mut self, old: &str) -> &mut Self {
        let path = self.full(old);
        self.walk.use_all(&path);
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
        let found = match self.walk.note(VERSION, Place::default()) {
            None => 0,
            Some(KvRef::UInt64(found)) => u32::try_from(found).unwrap_or(u32::MAX),
            Some(_) => u32::MAX,
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
