//! The state of one save walk: the plan that it fills, and where it is.

use std::collections::HashMap;

use crate::container::KvValue;
use crate::descriptor::TensorDescriptor;
use crate::limits::Limits;
use crate::model::Field;
use crate::model::names::{Mark, NamePath, own_key};
use crate::model::save::{Place, Saver, ties::Claim};
use crate::model::shape_rule::{Bindings, Scope};
use crate::writer::{Plan, SaveError, TensorSource};

/// One step down from a group.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'k> {
    Name(&'k str),
    Index(usize),
    Key(&'k str),
}

/// What a group is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// A composite head and its members, where the format has room for the head.
    Headed,
    /// Key-value entries only.
    Metadata,
    /// Fields among those of the group around it.
    Flattened,
}

/// A group that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Whether the group has a head of its own, on top of the stack while the group is open.
    has_head: bool,
    is_root: bool,
    is_metadata: bool,
    members_before: u64,
    scope: Scope,
}

impl Frame {
    pub(super) fn scope(self) -> Scope {
        self.scope
    }
}

/// A head whose members are being collected.
#[derive(Debug, Clone, Copy)]
struct OpenHead {
    position: usize,
    members: u32,
}

/// What a field's attributes say of its tensor, until that comes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    path: Mark,
    scope: Scope,
    field: &'static Field,
}

/// The state of one save walk.
pub(crate) struct SaveWalk<'s> {
    pub(super) plan: Plan<'s>,
    pub(super) path: NamePath,
    pub(super) limits: Limits,
    heads: Vec<OpenHead>,
    /// Heads that were open where a plan of its own began.
    pub(super) heads_above: usize,
    pub(super) nesting: usize,
    pub(super) root_members: u64,
    pub(super) tensors: u64,
    pub(super) entries: u64,
    bindings: Bindings,
    pub(super) pending: Option<Pending>,
    /// How many groups that may hold entries only are open.
    pub(super) metadata_only: usize,
    /// Address and size in bytes of what an `Arc` holds, and the path where its tensors are.
    pub(super) shared: HashMap<(usize, usize), String>,
    /// Second names that are held against the first at the end.
    pub(super) claims: Vec<Claim<'s>>,
}

impl<'s> SaveWalk<'s> {
    pub(crate) fn new(plan: Plan<'s>, limits: Limits) -> Self {
        Self {
            plan,
            path: NamePath::default(),
            limits,
            heads: Vec::new(),
            heads_above: 0,
            nesting: 0,
            root_members: 0,
            tensors: 0,
            entries: 0,
            bindings: Bindings::default(),
            pending: None,
            metadata_only: 0,
            shared: HashMap::new(),
            claims: Vec::new(),
        }
    }

    /// How many tensors, heads and entries were written so far: grows with each.
    pub(super) fn written(&self) -> u64 {
        self.tensors.saturating_add(self.entries)
    }

    /// Heads on the way down to here.
    pub(super) fn depth(&self) -> usize {
        self.heads_above.saturating_add(self.heads.len())
    }

    fn count_member(&mut self) {
        self.tensors = self.tensors.saturating_add(1);
        self.add_members(1);
    }

    /// Counts members of the innermost head.
    pub(super) fn add_members(&mut self, members: u64) {
        match self.heads.last_mut() {
            Some(head) => {
                head.members = head.members.saturating_add(u32::try_from(members).unwrap_or(u32::MAX));
            }
            None => self.root_members = self.root_members.saturating_add(members),
        }
    }

    pub(super) fn tensor(
        &mut self,
        descriptor: &TensorDescriptor,
        sources: impl IntoIterator<Item = TensorSource<'s>>,
    ) -> Result<(), SaveError> {
        if self.path.is_root() {
            return Err(SaveError::Root { what: "a tensor" });
        }
        if self.metadata_only > 0 {
            return Err(SaveError::TensorInMetadata { path: self.path.as_str().into() });
        }
        let path = self.path.mark();
        match self.pending.take_if(|pending| pending.path == path) {
            None => self.plan.push(self.path.as_str(), descriptor, sources)?,
            Some(pending) => {
                self.check_shape(pending, descriptor.shape())?;
                let aligned = pending.field.align.map(|bytes| descriptor.clone().with_alignment(bytes));
                self.plan.push(self.path.as_str(), aligned.as_ref().unwrap_or(descriptor), sources)?
            }
        };
        self.count_member();
        Ok(())
    }

    pub(super) fn kv(&mut self, variants: u32, value: KvValue) -> Result<(), SaveError> {
        if self.path.is_root() {
            return Err(SaveError::Root { what: "a key-value entry" });
        }
        let Self { path, plan, .. } = self;
        path.with_key(variants, |key| plan.kv(key, value))?;
        self.entries = self.entries.saturating_add(1);
        Ok(())
    }

    /// One of our own entries about the value inside `variants` newtype variants.
    pub(super) fn note(&mut self, prefix: &str, variants: u32, value: KvValue) -> Result<(), SaveError> {
        let key = self.path.with_key(variants, |key| own_key(prefix, key));
        self.plan.kv(&key, value)?;
        self.entries = self.entries.saturating_add(1);
        Ok(())
    }

    pub(super) fn open(&mut self, kind: GroupKind) -> Result<Frame, SaveError> {
        if self.nesting >= self.limits.nesting {
            return Err(SaveError::Nesting { path: self.path.as_str().into(), allowed: self.limits.nesting });
        }
        let is_root = self.path.is_root();
        let has_head = kind == GroupKind::Headed
            && !is_root
            && self.metadata_only == 0
            && self.depth() < self.limits.composite_depth;
        if has_head {
            let position = self.plan.push_group(self.path.as_str())?;
            self.count_member();
            self.heads.push(OpenHead { position, members: 0 });
        }
        let is_metadata = kind == GroupKind::Metadata;
        if is_metadata {
            self.metadata_only = self.metadata_only.saturating_add(1);
        }
        self.nesting = self.nesting.saturating_add(1);
        let (members_before, scope) = (self.root_members, self.bindings.open());
        Ok(Frame { has_head, is_root, is_metadata, members_before, scope })
    }

    pub(super) fn close(&mut self, frame: Frame) {
        self.bindings.close(frame.scope);
        self.nesting = self.nesting.saturating_sub(1);
        if frame.is_metadata {
            self.metadata_only = self.metadata_only.saturating_sub(1);
        }
        if frame.has_head
            && let Some(head) = self.heads.pop()
        {
            let set = self.plan.set_member_count(head.position, head.members);
            debug_assert!(set.is_ok(), "the position is that of a head of this plan");
        }
    }

    /// The direct members of an open group; `None` for one without a head of its own (the root counts its own).
    pub(super) fn members(&self, frame: Frame) -> Option<u64> {
        if frame.has_head {
            self.heads.last().map(|head| head.members.into())
        } else if frame.is_root {
            Some(self.root_members.saturating_sub(frame.members_before))
        } else {
            None
        }
    }

    pub(super) fn open_scope(&self) -> Scope {
        self.bindings.open()
    }

    /// Saves a value that a field's rules hold for.
    pub(super) fn described(
        &mut self,
        scope: Scope,
        field: &'static Field,
        place: Place,
        save: impl FnOnce(Saver<'_, 's>) -> Result<(), SaveError>,
    ) -> Result<(), SaveError> {
        if !field.describes_tensor() {
            return save(Saver::at(self, place));
        }
        let before = self.written();
        self.pending = Some(Pending { path: self.path.mark(), scope, field });
        save(Saver::at(self, place))?;
        let was_taken = self.pending.take().is_none();
        if was_taken || self.written() == before {
            return Ok(());
        }
        Err(SaveError::NoTensor { path: self.path.as_str().into() })
    }

    /// What a field's attributes say of the tensor at the path.
    pub(super) fn rules(&self) -> Option<&'static Field> {
        let path = self.path.mark();
        self.pending.filter(|pending| pending.path == path).map(|pending| pending.field)
    }

    fn check_shape(&mut self, pending: Pending, shape: &[u64]) -> Result<(), SaveError> {
        let Some(rule) = pending.field.shape else { return Ok(()) };
        self.bindings.check(pending.scope, rule, shape, pending.field.rust).map_err(|expected| {
            SaveError::Shape {
                path: self.path.as_str().into(),
                expected: expected.into(),
                found: shape.into(),
            }
        })
    }

    pub(super) fn bind(
        &mut self,
        frame: Frame,
        name: &'static str,
        size: Option<u64>,
    ) -> Result<(), SaveError> {
        let Some(size) = size else {
            return Err(SaveError::Dimension { path: self.path.as_str().into(), name });
        };
        self.bindings.bind(frame.scope, name, size, name).map_err(|clash| SaveError::Shape {
            path: self.path.as_str().into(),
            expected: format!("{name} = {} (by `{}`)", clash.bound, clash.by).into(),
            found: Box::new([clash.size]),
        })
    }
}
