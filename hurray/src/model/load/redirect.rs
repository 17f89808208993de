//! Places whose value lies under another path: ties, and the steps of a migration.

use std::collections::HashMap;

use crate::container::KvRef;
use crate::model::load::walk::LoadWalk;
use crate::model::load::{Loader, Place, Reported};
use crate::model::names::{TIED, under};
use crate::model::{Problem, ProblemKind};

/// Where a value of the model lies in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Under another path.
    Path(String),
    /// One of several equal parts of a tensor, along an axis.
    Part { path: String, axis: usize, index: usize, parts: usize },
    /// Several tensors, one after another along an axis.
    Joined { paths: Vec<String>, axis: usize },
    /// Nowhere: the field takes its default.
    Nothing,
}

/// What the tensor at the path is to be made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pieces {
    Part { axis: usize, index: usize, parts: usize },
    Joined { paths: Vec<String>, axis: usize },
}

/// A place whose path was exchanged.
#[derive(Debug)]
pub(super) struct Redirected {
    /// The path of the model.
    path: String,
    /// How many steps lead there, and how they are written.
    pub(super) steps: usize,
    pub(super) field: String,
    /// What was in force before.
    is_nothing: bool,
}

/// Everything that is not where its path says.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    has_ties: bool,
    /// How many ties were followed.
    followed: u64,
    /// How many elements of sequences were reached through them.
    elements: u64,
    /// By the path of the model, from migrations: with how many paths were exchanged where the migration was.
    targets: HashMap<String, (usize, Target)>,
    pieces: Option<Pieces>,
    is_nothing: bool,
}

impl Redirects {
    pub(super) fn new(has_ties: bool) -> Self {
        Self { has_ties, ..Self::default() }
    }

    pub(super) fn has_ties(&self) -> bool {
        self.has_ties
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.is_nothing
    }

    /// A path is that of the model only where as many paths are exchanged as where the migration was: behind one
    /// that was exchanged since, paths are those of the file.
    pub(super) fn insert(&mut self, exchanged: usize, path: String, target: Target) {
        self.targets.insert(path, (exchanged, target));
    }

    /// Counts elements that are reached through ties; tells whether there are too many.
    pub(super) fn exceeds_elements(&mut self, elements: usize, allowed: u64) -> bool {
        self.elements = self.elements.saturating_add(u64::try_from(elements).unwrap_or(u64::MAX));
        self.elements > allowed
    }

    #[inline]
    pub(super) fn is_in_pieces(&self) -> bool {
        self.pieces.is_some()
    }

    /// What the tensor at the path is to be made of, if it is not there as it is; asked once.
    pub(super) fn take_pieces(&mut self) -> Option<Pieces> {
        self.pieces.take()
    }

    /// Whether every value lies where its path says.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        !self.has_ties && self.targets.is_empty()
    }
}

impl<'f> LoadWalk<'f> {
    /// Loads the value at the path, wherever in the file it lies.
    #[inline]
    pub(super) fn enter<T>(
        &mut self,
        place: Place,
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        if self.redirects.is_idle() {
            return load(Loader::at(self, place));
        }
        let exchanged = self.exchange(place)?;
        let value = load(Loader::at(self, place));
        self.restore(exchanged);
        value
    }

    /// The same for a load that needs `with` and the walk.
    #[inline]
    pub(super) fn enter_with<W, T>(
        &mut self,
        with: W,
        load: impl FnOnce(&mut Self, W) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        if self.redirects.is_idle() {
            return load(self, with);
        }
        let exchanged = self.exchange(Place::default())?;
        let value = load(self, with);
        self.restore(exchanged);
        value
    }

    /// Exchanges the path if its value lies elsewhere; tells whether it did.
    fn exchange(&mut self, place: Place) -> Result<bool, Reported> {
        let target = match self.redirects.targets.get(self.path.as_str()) {
            Some((exchanged, target)) if *exchanged == self.exchanged.len() => Some(target.clone()),
            _ => self.tie(place)?.map(Target::Path),
        };
        let Some(target) = target else { return Ok(false) };
        let redirected = Redirected {
            path: self.path.as_str().to_owned(),
            steps: self.steps(),
            field: self.field_path(),
            is_nothing: self.redirects.is_nothing,
        };
        self.exchanged.push(redirected);
        match target {
            Target::Path(path) => self.path.set(&path),
            Target::Part { path, axis, index, parts } => {
                self.path.set(&path);
                self.redirects.pieces = Some(Pieces::Part { axis, index, parts });
            }
            Target::Joined { paths, axis } => {
                self.path.set(paths.first().map_or("", String::as_str));
                self.redirects.pieces = Some(Pieces::Joined { paths, axis });
            }
            Target::Nothing => self.redirects.is_nothing = true,
        }
        Ok(true)
    }

    fn restore(&mut self, exchanged: bool) {
        if exchanged && let Some(redirected) = self.exchanged.pop() {
            self.path.set(&redirected.path);
            self.redirects.pieces = None;
            self.redirects.is_nothing = redirected.is_nothing;
        }
    }

    /// The path that the value at the path is tied to. It has to be stored, and outside of everything that leads
    /// here, so that following ties ends.
    fn tie(&mut self, place: Place) -> Result<Option<String>, Reported> {
        if !self.redirects.has_ties {
            return Ok(None);
        }
        let target = match self.note(TIED, place) {
            None => return Ok(None),
            Some(KvRef::String(target)) => target.to_owned(),
            Some(other) => {
                let found = format!("{} as its tie", other.type_name());
                return Err(self.report(Problem::new(
                    ProblemKind::Tie,
                    "the name of a tensor or group",
                    found,
                )));
            }
        };
        self.redirects.followed = self.redirects.followed.saturating_add(1);
        let expected = if self.redirects.followed > self.limits().ties {
            format!("at most {} ties to follow (`Limits::ties`)", self.limits().ties)
        } else if self.leads_here(&target) {
            "a name outside of what is tied to it".to_owned()
        } else if self.is_tied(&target) {
            "a name that is stored itself".to_owned()
        } else if !self.is_stored(&target) {
            "a name that is stored".to_owned()
        } else {
            return Ok(Some(target));
        };
        let found = format!("a tie to `{}`", target.escape_debug());
        Err(self.report(Problem::new(ProblemKind::Tie, expected, found)))
    }

    /// Whether a path is, or lies around, the one of this value or one that was exchanged on the way to it.
    fn leads_here(&self, target: &str) -> bool {
        let on_the_way = self.exchanged.iter().map(|redirected| redirected.path.as_str());
        on_the_way.chain([self.path.as_str()]).any(|path| path == target || under(path, target).is_some())
    }

    fn is_tied(&self, target: &str) -> bool {
        self.source.contents().kv_position(&format!("{TIED}{target}")).is_some()
    }
}
