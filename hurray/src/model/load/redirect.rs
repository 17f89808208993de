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
    /// The path of the file that it was, before a tie there was followed.
    file: String,
    /// How many steps lead there, and how they are written.
    pub(super) steps: usize,
    pub(super) field: String,
    /// What was in force before.
    is_nothing: bool,
    pieces: Option<Pieces>,
}

/// Everything that is not where its path says.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    has_ties: bool,
    /// How many ties the file has: each may be followed once, whatever the limit.
    ties: u64,
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
    pub(super) fn new(ties: u64) -> Self {
        Self { has_ties: ties > 0, ties, ..Self::default() }
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

    /// What the tensor at a place that is in pieces is to be made of.
    pub(super) fn pieces(&self) -> Option<&Pieces> {
        self.pieces.as_ref()
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
        place: &Place,
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        // One call, so that `load` can be a part of this.
        let exchanged = if self.redirects.is_idle() { None } else { self.exchange(place)? };
        let value = load(Loader::at(self, exchanged.as_ref().unwrap_or(place)));
        self.restore(exchanged.is_some());
        value
    }

    /// Exchanges the path if its value lies elsewhere; gives what the place is then.
    fn exchange(&mut self, place: &Place) -> Result<Option<Place>, Reported> {
        let step = match self.redirects.targets.get(self.path.as_str()) {
            Some((exchanged, target)) if *exchanged == self.exchanged.len() => Some(target.clone()),
            _ => None,
        };
        let tie = if step.is_none() { self.tie(place)? } else { None };
        if step.is_none() && tie.is_none() {
            return Ok(None);
        }
        let redirected = Redirected {
            path: self.path.as_str().to_owned(),
            file: self.path.as_str().to_owned(),
            steps: self.steps(),
            field: self.field_path(),
            is_nothing: self.redirects.is_nothing,
            pieces: self.redirects.pieces.clone(),
        };
        self.exchanged.push(redirected);
        let mut place = *place;
        if let Some(target) = tie {
            self.path.set(&target);
        }
        let settled = match step {
            None => Ok(()),
            Some(Target::Path(path)) => self.settle(&path, &place),
            Some(Target::Part { path, axis, index, parts }) => {
                self.redirects.pieces = Some(Pieces::Part { axis, index, parts });
                place.is_in_pieces = true;
                self.settle(&path, &place)
            }
            Some(Target::Joined { paths, axis }) => {
                let settled = self.settle(paths.first().map_or("", String::as_str), &place);
                self.redirects.pieces = Some(Pieces::Joined { paths, axis });
                place.is_in_pieces = true;
                settled
            }
            Some(Target::Nothing) => {
                self.redirects.is_nothing = true;
                Ok(())
            }
        };
        match settled {
            Ok(()) => Ok(Some(place)),
            Err(reported) => {
                self.restore(true);
                Err(reported)
            }
        }
    }

    /// Goes to where the value of a path of the file is stored: a tie there is followed, and so is one of a group
    /// around it.
    pub(super) fn settle(&mut self, path: &str, place: &Place) -> Result<(), Reported> {
        let path = self.past_tied_groups(path);
        self.path.set(&path);
        if let Some(exchanged) = self.exchanged.last_mut() {
            exchanged.file = path;
        }
        if let Some(target) = self.tie(place)? {
            self.path.set(&target);
        }
        Ok(())
    }

    /// The path under which something is stored that lies in a group which is another name of one.
    fn past_tied_groups(&self, path: &str) -> String {
        let mut path = path.to_owned();
        if !self.redirects.has_ties {
            return path;
        }
        // A tied group may lie in what another one is tied to; a file may pretend that this has no end.
        for _ in 0..self.limits().nesting {
            let ends = path.match_indices('.').map(|(end, _)| end);
            let stored = ends.filter_map(|end| path.split_at_checked(end)).find_map(|(group, rest)| {
                let position = self.position_of_key(&format!("{TIED}{group}"))?;
                match self.source.contents().kv_at(position) {
                    Some((_, KvRef::String(target))) => {
                        Some(format!("{}{rest}", self.target(position, target)))
                    }
                    _ => None,
                }
            });
            match stored {
                Some(stored) => path = stored,
                None => break,
            }
        }
        path
    }

    /// Whether the file has anything at or under another path, or under one that this is another name of.
    pub(super) fn has_value(&mut self, path: &str) -> bool {
        let here = self.path.as_str().to_owned();
        let path = self.past_tied_groups(path);
        self.path.set(&path);
        let has = self.is_present(&Place::NONE);
        self.path.set(&here);
        has
    }

    #[inline]
    fn restore(&mut self, exchanged: bool) {
        if exchanged {
            self.come_back();
        }
    }

    #[cold]
    fn come_back(&mut self) {
        if let Some(redirected) = self.exchanged.pop() {
            self.path.set(&redirected.path);
            self.redirects.pieces = redirected.pieces;
            self.redirects.is_nothing = redirected.is_nothing;
        }
    }

    /// The path that the value at the path is tied to. It has to be stored, and outside of everything that leads
    /// here, so that following ties ends.
    fn tie(&mut self, place: &Place) -> Result<Option<String>, Reported> {
        if !self.redirects.has_ties {
            return Ok(None);
        }
        let target = match self.note(TIED, place) {
            None => return Ok(None),
            Some(KvRef::String(target)) => {
                let position = self.note_position(TIED, place);
                position.map_or(target, |position| self.target(position, target)).to_owned()
            }
            Some(other) => {
                let found = format!("{} as its tie", other.to_value().type_name());
                return Err(self.report(Problem::new(
                    ProblemKind::Tie,
                    "the name of a tensor or group",
                    found,
                )));
            }
        };
        self.redirects.followed = self.redirects.followed.saturating_add(1);
        let allowed = self.limits().ties.max(self.redirects.ties);
        let expected = if self.redirects.followed > allowed {
            format!("at most {allowed} ties to follow (`Limits::ties`)")
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
        let on_the_way = self.exchanged.iter().map(|redirected| redirected.file.as_str());
        on_the_way.chain([self.path.as_str()]).any(|path| path == target || under(path, target).is_some())
    }

    fn is_tied(&self, target: &str) -> bool {
        self.position_of_key(&format!("{TIED}{target}")).is_some()
    }

    /// The target of a tie as a key map has it.
    fn target<'t>(&'t self, position: usize, target: &'t str) -> &'t str {
        let renamed = self.renamed.as_ref().and_then(|renamed| renamed.ties.get(&position));
        renamed.map_or(target, String::as_str)
    }
}
