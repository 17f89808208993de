//! The state of one save walk: the plan that it fills, and where it is.

use crate::container::KvValue;
use crate::descriptor::TensorDescriptor;
use crate::limits::Limits;
use crate::model::names::{Mark, NamePath};
use crate::model::save::Saver;
use crate::model::shape_rule::{Bindings, Scope};
use crate::model::{Dim, Field};
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

/// A shape rule that waits for the tensor of its field.
#[derive(Debug, Clone, Copy)]
struct PendingShape {
    path: Mark,
    scope: Scope,
    rule: &'static [Dim],
    by: &'static str,
}

/// The state of one save walk.
pub(crate) struct SaveWalk<'s> {
    plan: Plan<'s>,
    pub(crate) path: NamePath,
    pub(crate) limits: Limits,
    heads: Vec<OpenHead>,
    nesting: usize,
    root_members: u64,
    tensors: u64,
    entries: u64,
    bindings: Bindings,
    pending: Option<PendingShape>,
    /// How many groups that may hold entries only are open.
    metadata_only: usize,
}

impl<'s> SaveWalk<'s> {
    pub(crate) fn new(plan: Plan<'s>, limits: Limits) -> Self {
        Self {
            plan,
            path: NamePath::default(),
            limits,
            heads: Vec::new(),
            nesting: 0,
            root_members: 0,
            tensors: 0,
            entries: 0,
            bindings: Bindings::default(),
            pending: None,
            metadata_only: 0,
        }
    }

    pub(crate) fn into_plan(self) -> Plan<'s> {
        self.plan
    }

    /// How many tensors, heads and entries were written so far: grows with each.
    pub(super) fn written(&self) -> u64 {
        self.tensors.saturating_add(self.entries)
    }

    /// How many tensors and heads were written so far.
    pub(super) fn tensors(&self) -> u64 {
        self.tensors
    }

    fn count_member(&mut self) {
        self.tensors = self.tensors.saturating_add(1);
        match self.heads.last_mut() {
            Some(head) => head.members = head.members.saturating_add(1),
            None => self.root_members = self.root_members.saturating_add(1),
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
        self.check_shape(descriptor.shape())?;
        self.plan.push(self.path.as_str(), descriptor, sources)?;
        self.count_member();
        Ok(())
    }

    pub(super) fn kv(&mut self, value: KvValue) -> Result<(), SaveError> {
        if self.path.is_root() {
            return Err(SaveError::Root { what: "a key-value entry" });
        }
        self.plan.kv(self.path.as_str(), value)?;
        self.entries = self.entries.saturating_add(1);
        Ok(())
    }

    /// One of our own entries about the current path.
    pub(super) fn own_kv(&mut self, prefix: &str, value: KvValue) -> Result<(), SaveError> {
        self.plan.kv(&self.path.key(prefix), value)?;
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
            && self.heads.len() < self.limits.composite_depth;
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
        Ok(Frame {
            has_head,
            is_root,
            is_metadata,
            members_before: self.root_members,
            scope: self.bindings.open(),
        })
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
        field: &Field,
        save: impl FnOnce(Saver<'_, 's>) -> Result<(), SaveError>,
    ) -> Result<(), SaveError> {
        let Some(rule) = field.shape else { return save(Saver::at(self, 0)) };
        let before = self.written();
        self.pending = Some(PendingShape { path: self.path.mark(), scope, rule, by: field.rust });
        save(Saver::at(self, 0))?;
        let was_taken = self.pending.take().is_none();
        if was_taken || self.written() == before {
            return Ok(());
        }
        Err(SaveError::ShapeOfNoTensor { path: self.path.as_str().into() })
    }

    fn check_shape(&mut self, shape: &[u64]) -> Result<(), SaveError> {
        let Some(pending) = self.pending.take_if(|pending| pending.path == self.path.mark()) else {
            return Ok(());
        };
        self.bindings.check(pending.scope, pending.rule, shape, pending.by).map_err(|expected| {
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
