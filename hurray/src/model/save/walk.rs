//! The state of one save walk: the plan that it fills, and where it is.

use std::collections::HashMap;

use crate::container::KvValue;
use crate::descriptor::TensorDescriptor;
use crate::limits::Limits;
use crate::model::Field;
use crate::model::flat::{Base, FlatNames};
use crate::model::names::{NamePath, TIED, own_key};
use crate::model::save::heads::Heads;
use crate::model::save::members::Membership;
use crate::model::save::reach::{Effort, Reach};
use crate::model::save::{Place, Save, Saver, ties::Claim};
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
    /// The position of the group's own head, if it has one. It may lose it while it is open.
    head: Option<usize>,
    is_root: bool,
    is_metadata: bool,
    members_before: u64,
    scope: Scope,
    /// What names the group around it begins with; nothing for a flattened one, whose names are among those.
    outer: Option<Base>,
}

impl Frame {
    pub(super) fn scope(self) -> Scope {
        self.scope
    }

    pub(super) fn is_flattened(self) -> bool {
        self.outer.is_none()
    }
}

/// What a field's attributes say of its tensor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) field: &'static Field,
    scope: Scope,
    /// Whether the tensor is a part of the one that the shape is about, which was checked.
    is_part: bool,
}

impl Rules {
    /// The same for a part of the tensor.
    pub(super) fn of_part(self) -> Self {
        Self { is_part: true, ..self }
    }
}

/// Address and size in bytes of what an `Arc` holds, and the form that attributes give it: element type, whether
/// strides are kept, and alignment.
pub(super) type Allocation = (usize, usize, (Option<&'static str>, bool, Option<u32>));

/// A value that others may share, and is stored.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    /// The path where its tensors are.
    pub(super) path: String,
    /// What one more load of it follows.
    pub(super) again: Effort,
}

/// The state of one save walk.
pub(crate) struct SaveWalk<'s> {
    pub(super) plan: Plan<'s>,
    pub(super) path: NamePath,
    pub(super) limits: Limits,
    pub(super) heads: Heads,
    /// Where in a whole the tensor that comes next belongs, if it is a member.
    pub(super) membership: Option<Membership>,
    pub(super) nesting: usize,
    pub(super) tensors: u64,
    pub(super) entries: u64,
    pub(super) bindings: Bindings,
    pub(super) flat: FlatNames,
    /// Whether a tensor came for the rules of the field that is being saved.
    pub(super) met_rules: bool,
    /// How many groups that may hold entries only are open.
    pub(super) metadata_only: usize,
    /// What `Arc`s and `Rc`s hold, and where that is stored.
    pub(super) shared: HashMap<Allocation, Stored>,
    /// What a load goes through.
    pub(super) reach: Reach,
    /// Second names that are held against the first at the end.
    pub(super) claims: Vec<Claim<'s>>,
}

impl<'s> SaveWalk<'s> {
    pub(crate) fn new(plan: Plan<'s>, limits: Limits) -> Self {
        Self {
            plan,
            path: NamePath::default(),
            limits,
            heads: Heads::default(),
            membership: None,
            nesting: 0,
            tensors: 0,
            entries: 0,
            bindings: Bindings::default(),
            flat: FlatNames::default(),
            met_rules: false,
            metadata_only: 0,
            shared: HashMap::new(),
            reach: Reach::default(),
            claims: Vec::new(),
        }
    }

    /// How many tensors, heads and entries were written so far: grows with each.
    pub(super) fn written(&self) -> u64 {
        self.tensors.saturating_add(self.entries)
    }

    fn count_member(&mut self) {
        self.tensors = self.tensors.saturating_add(1);
        self.heads.add_members(1);
    }

    /// Refuses a tensor, or a head with tensors after it, where none can be.
    pub(super) fn refuse_tensor_here(&self) -> Result<(), SaveError> {
        if self.path.is_root() {
            return Err(SaveError::Root { what: "a tensor" });
        }
        if self.metadata_only > 0 {
            return Err(SaveError::TensorInMetadata { path: self.path.as_str().into() });
        }
        Ok(())
    }

    pub(super) fn tensor(
        &mut self,
        descriptor: &TensorDescriptor,
        sources: impl IntoIterator<Item = TensorSource<'s>>,
        rules: Option<Rules>,
    ) -> Result<(), SaveError> {
        self.refuse_tensor_here()?;
        self.meet(rules, descriptor.shape())?;
        let aligned = rules.and_then(|rules| rules.field.align);
        let aligned = aligned.map(|bytes| descriptor.clone().with_alignment(bytes));
        let marked = self.membership.take().map(|membership| {
            let descriptor = aligned.as_ref().unwrap_or(descriptor);
            membership.mark(descriptor.clone())
        });
        let descriptor = marked.as_ref().or(aligned.as_ref()).unwrap_or(descriptor);
        self.plan.push(self.path.as_str(), descriptor, sources)?;
        self.count_member();
        Ok(())
    }

    /// Holds the tensor at the path against what the field's attributes say of it.
    pub(super) fn meet(&mut self, rules: Option<Rules>, shape: &[u64]) -> Result<(), SaveError> {
        let Some(rules) = rules else { return Ok(()) };
        self.met_rules = true;
        if rules.is_part { Ok(()) } else { self.check_shape(rules, shape) }
    }

    /// Opens the head of a partition or an overlay. Groups above it give way if it would lie too deep.
    pub(super) fn open_head(&mut self, head: &TensorDescriptor) -> Result<usize, SaveError> {
        while self.heads.depth() >= self.limits.composite_depth {
            if !self.heads.give_way() {
                let as_u64 = |depth: usize| u64::try_from(depth).unwrap_or(u64::MAX);
                return Err(SaveError::Limit {
                    limit: "composite_depth",
                    allowed: as_u64(self.limits.composite_depth),
                    found: as_u64(self.heads.depth().saturating_add(1)),
                });
            }
        }
        let position = self.plan.push(self.path.as_str(), head, [])?;
        self.count_member();
        self.heads.open(position, false);
        Ok(position)
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
        if prefix == TIED {
            self.reach.add_tie();
        }
        self.entries = self.entries.saturating_add(1);
        Ok(())
    }

    pub(super) fn open(&mut self, kind: GroupKind, is_flattened: bool) -> Result<Frame, SaveError> {
        if self.nesting >= self.limits.nesting {
            return Err(SaveError::Nesting { path: self.path.as_str().into(), allowed: self.limits.nesting });
        }
        let is_root = self.path.is_root();
        let has_head = kind == GroupKind::Headed
            && !is_root
            && self.metadata_only == 0
            && self.heads.depth() < self.limits.composite_depth;
        let mut head = None;
        if has_head {
            let position = self.plan.push_group(self.path.as_str())?;
            self.count_member();
            self.heads.open(position, true);
            head = Some(position);
        }
        let is_metadata = kind == GroupKind::Metadata;
        if is_metadata {
            self.metadata_only = self.metadata_only.saturating_add(1);
        }
        self.nesting = self.nesting.saturating_add(1);
        let (members_before, scope) = (self.heads.root_members(), self.bindings.open());
        let outer = if is_flattened { None } else { Some(self.flat.open()) };
        Ok(Frame { head, is_root, is_metadata, members_before, scope, outer })
    }

    pub(super) fn close(&mut self, frame: Frame) {
        self.bindings.close(frame.scope);
        if let Some(outer) = frame.outer {
            self.flat.close(outer);
        }
        self.nesting = self.nesting.saturating_sub(1);
        if frame.is_metadata {
            self.metadata_only = self.metadata_only.saturating_sub(1);
        }
        if let Some(position) = frame.head
            && let Some(members) = self.heads.close(position)
        {
            let members = u32::try_from(members).unwrap_or(u32::MAX);
            let set = self.plan.set_member_count(position, members);
            debug_assert!(set.is_ok(), "the position is that of a head of this plan");
        }
    }

    /// The direct members of an open group; `None` for one without a head of its own (the root counts its own).
    pub(super) fn members(&self, frame: Frame) -> Option<u64> {
        match frame.head {
            Some(position) => self.heads.members_of(position),
            None if frame.is_root => Some(self.heads.root_members().saturating_sub(frame.members_before)),
            None => None,
        }
    }

    pub(super) fn open_scope(&self) -> Scope {
        self.bindings.open()
    }

    /// Saves a value that a field's attributes hold for: under the name that it is another name of, if they say
    /// so.
    pub(super) fn field(
        &mut self,
        scope: Scope,
        field: &'static Field,
        place: Place,
        save: Save<'_, 's>,
    ) -> Result<(), SaveError> {
        match field.tied {
            Some(target) => {
                self.tied(target, place.variants, &|part| part.described(scope, field, place, save))
            }
            None => self.described(scope, field, place, save),
        }
    }

    /// Saves a value that a field's rules hold for.
    fn described(
        &mut self,
        scope: Scope,
        field: &'static Field,
        place: Place,
        save: Save<'_, 's>,
    ) -> Result<(), SaveError> {
        if !field.describes_tensor() {
            return save(Saver::at(self, place));
        }
        if place.rules.is_some() {
            let source =
                "attributes of the field and of the variant's field describe the same tensor: keep one";
            return Err(SaveError::Refused { path: self.path.as_str().into(), source: source.into() });
        }
        let (before, outer) = (self.written(), std::mem::replace(&mut self.met_rules, false));
        let rules = Some(Rules { field, scope, is_part: false });
        save(Saver::at(self, Place { rules, ..place }))?;
        let were_met = std::mem::replace(&mut self.met_rules, outer);
        if were_met || self.written() == before {
            return Ok(());
        }
        Err(SaveError::NoTensor { path: self.path.as_str().into() })
    }

    /// Refuses more steps than the model may nest, where they are none of a group.
    pub(super) fn check_nesting(&self, steps: u64) -> Result<(), SaveError> {
        let nesting = u64::try_from(self.nesting).unwrap_or(u64::MAX).saturating_add(steps);
        if nesting <= u64::try_from(self.limits.nesting).unwrap_or(u64::MAX) {
            return Ok(());
        }
        Err(SaveError::Nesting { path: self.path.as_str().into(), allowed: self.limits.nesting })
    }

    fn check_shape(&mut self, rules: Rules, shape: &[u64]) -> Result<(), SaveError> {
        let Some(rule) = rules.field.shape else { return Ok(()) };
        self.bindings.check(rules.scope, rule, shape, rules.field.rust).map_err(|expected| SaveError::Shape {
            path: self.path.as_str().into(),
            expected: expected.into(),
            found: shape.into(),
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
