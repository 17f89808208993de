//! Composites and dotted names as one tree.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{describe, shown_name};
use crate::composite::{Composite, Member};
use crate::error::FormatError;
use crate::reader::File;

/// A name has no more levels of its own; what is left of it stays in one piece.
const MAX_SEGMENTS: usize = 32;

/// Everything in a file, by name. Node 0 is the root.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    by_label: HashMap<(usize, Box<str>), usize>,
    /// How many composite heads there are.
    pub(super) heads: u64,
    /// Why tensors or composites can't be read.
    pub(super) errors: Vec<FormatError>,
}

/// A tensor, a composite, or what names have in common.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) label: Box<str>,
    pub(super) kind: Kind,
    /// What it is, in words.
    pub(super) text: String,
    pub(super) children: Vec<usize>,
    /// Of the node and all below it.
    pub(super) total: Total,
    /// Equal for nodes that look alike but for their labels.
    pub(super) likeness: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Kind {
    /// No tensor of its own.
    #[default]
    Prefix,
    Tensor,
    Composite,
    /// A tensor whose descriptor can't be read.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Total {
    /// Without composite heads.
    pub(super) tensors: u64,
    pub(super) elements: u128,
    /// Of all buffers.
    pub(super) bytes: u64,
}

impl Total {
    fn add(&mut self, other: Self) {
        self.tensors = self.tensors.saturating_add(other.tensors);
        self.elements = self.elements.saturating_add(other.elements);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

const ROOT: usize = 0;

impl Tree {
    /// Decodes every descriptor once. Composites that are broken count as tensors without a common head.
    pub(super) fn of(file: &File) -> Self {
        let mut tree =
            Self { nodes: vec![Node::default()], by_label: HashMap::new(), heads: 0, errors: Vec::new() };
        let composites = match file.composites() {
            Ok(composites) => composites,
            Err(error) => {
                tree.errors.push(error);
                &[]
            }
        };
        let mut composites = composites.iter().peekable();
        let mut position = 0;
        let count = file.contents().len();
        while position < count {
            position = match composites.next_if(|composite| composite.head() == position) {
                Some(composite) => tree.insert_composite(file, ROOT, "", composite),
                None => tree.insert_tensor(file, ROOT, "", position),
            };
        }
        tree.join_prefixes();
        tree.sum_up();
        tree
    }

    pub(super) fn root(&self) -> &[usize] {
        self.nodes.first().map(|root| root.children.as_slice()).unwrap_or_default()
    }

    pub(super) fn node(&self, id: usize) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub(super) fn total(&self) -> Total {
        self.nodes.first().map(|root| root.total).unwrap_or_default()
    }

    /// The position behind the last member. Composites nest 64 levels at most.
    fn insert_composite(&mut self, file: &File, parent: usize, above: &str, composite: &Composite) -> usize {
        let name = file.contents().name(composite.head());
        let id = self.insert(parent, name, above);
        self.heads = self.heads.saturating_add(1);
        // It was decoded when composites were put together, so there is no error.
        let head = file.contents().entry(composite.head()).and_then(|entry| entry.descriptor().ok());
        let members = composite.members();
        self.set(
            id,
            Kind::Composite,
            Total::default(),
            match head {
                Some(head) => describe::composite(&head, composite.rule(), members.len()),
                None => String::new(),
            },
        );
        let mut next = composite.head().saturating_add(1);
        for member in members {
            next = match member {
                Member::Tensor(position) => self.insert_tensor(file, id, name, *position),
                Member::Composite(nested) => self.insert_composite(file, id, name, nested),
            };
        }
        next
    }

    /// The position behind it.
    fn insert_tensor(&mut self, file: &File, parent: usize, above: &str, position: usize) -> usize {
        if let Some(entry) = file.contents().entry(position) {
            let id = self.insert(parent, entry.name(), above);
            match entry.descriptor() {
                Ok(descriptor) => {
                    let sizes = descriptor.buffers().iter().map(|handle| handle.byte_size);
                    let is_head = descriptor.composite().is_some();
                    let elements = descriptor.element_count().filter(|_| !is_head).unwrap_or(0);
                    let total = Total {
                        tensors: u64::from(!is_head),
                        elements,
                        bytes: sizes.fold(0, u64::saturating_add),
                    };
                    self.set(id, Kind::Tensor, total, describe::tensor(&descriptor));
                }
                Err(error) => {
                    let total = Total { tensors: 1, elements: 0, bytes: entry.data_length() };
                    self.set(id, Kind::Broken, total, format!("can't be read: {}", error.rule()));
                    if !self.errors.contains(&error) {
                        self.errors.push(error);
                    }
                }
            }
        }
        position.saturating_add(1)
    }

    fn set(&mut self, id: usize, kind: Kind, total: Total, text: String) {
        if let Some(node) = self.nodes.get_mut(id) {
            node.kind = kind;
            node.total = total;
            node.text = text;
        }
    }

    /// A new node for `name` below `parent`, under what it has in common with others; `above` is the name of
    /// the head that it is a member of.
    fn insert(&mut self, parent: usize, name: &str, above: &str) -> usize {
        let local = name.strip_prefix(above).and_then(|rest| rest.strip_prefix('.'));
        let local = local.filter(|_| !above.is_empty()).unwrap_or(name);
        let mut segments = local.splitn(MAX_SEGMENTS, '.').peekable();
        let mut parent = parent;
        while let Some(segment) = segments.next() {
            let id = self.child(parent, segment);
            if segments.peek().is_some() {
                parent = id;
            } else if self.node(id).is_some_and(|node| node.kind == Kind::Prefix) {
                return id;
            } else {
                // Two names that differ only in whether they repeat the name of their head.
                return self.push(parent, name);
            }
        }
        parent
    }

    fn child(&mut self, parent: usize, segment: &str) -> usize {
        let next = self.nodes.len();
        match self.by_label.entry((parent, segment.into())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                vacant.insert(next);
                self.push(parent, segment)
            }
        }
    }

    fn push(&mut self, parent: usize, label: &str) -> usize {
        let id = self.nodes.len();
        self.nodes.push(Node { label: label.into(), ..Node::default() });
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.children.push(id);
        }
        id
    }

    /// `a` with nothing but `b` in it becomes `a.b`; numbers stay alone, so that runs of them can be seen.
    fn join_prefixes(&mut self) {
        let is_number = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
        // Children have larger numbers than their parents, so they are done first.
        for id in (1..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get(id) else { continue };
            let &[child] = node.children.as_slice() else { continue };
            if node.kind != Kind::Prefix || is_number(&node.label) {
                continue;
            }
            let label = node.label.clone();
            let Some(child) = self.nodes.get_mut(child) else { continue };
            if is_number(&child.label) {
                continue;
            }
            let mut joined = std::mem::take(child);
            joined.label = format!("{label}.{}", joined.label).into();
            if let Some(node) = self.nodes.get_mut(id) {
                *node = joined;
            }
        }
    }

    /// Totals and likenesses, from the leaves up.
    fn sum_up(&mut self) {
        for id in (0..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get(id) else { continue };
            let mut total = node.total;
            let mut hasher = DefaultHasher::new();
            (node.kind, &node.text).hash(&mut hasher);
            for child in node.children.iter().filter_map(|child| self.nodes.get(*child)) {
                total.add(child.total);
                (&child.label, child.likeness).hash(&mut hasher);
            }
            if let Some(node) = self.nodes.get_mut(id) {
                node.total = total;
                node.likeness = hasher.finish();
            }
        }
    }
}

impl Node {
    /// The label for a line.
    pub(super) fn shown_label(&self) -> String {
        shown_name(&self.label)
    }

    /// The label without the number at its end, and that number; `None` if there is none, or one that counting
    /// would write otherwise.
    pub(super) fn numbered(&self) -> Option<(&str, u64)> {
        let stem = self.label.trim_end_matches(|character: char| character.is_ascii_digit());
        let digits = self.label.get(stem.len()..)?;
        Some((stem, digits.parse().ok()?))
    }
}
