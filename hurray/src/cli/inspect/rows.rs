//! Which nodes of the tree are shown: levels, and runs of siblings that look alike.

use super::super::text::{Bytes, Count, Ink, counted};
use super::tree::{Kind, Node, Tree};

/// How many rows a tree has without `--all` and `--depth`, if fewer levels can see to it.
const MAX_ROWS: usize = 200;

/// How many siblings are shown, runs counted once.
const MAX_SIBLINGS: usize = 40;

/// Fewer siblings that look alike are not worth folding.
const MIN_RUN: usize = 3;

/// What the user asked to see.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// How many levels; as many as fit if not given.
    pub(super) depth: Option<usize>,
    /// Every node, unfolded.
    pub(super) all: bool,
}

/// One line of the tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) indent: usize,
    pub(super) label: String,
    pub(super) ink: Ink,
    pub(super) text: String,
    pub(super) size: String,
}

impl View {
    pub(super) fn rows(self, tree: &Tree) -> Vec<Row> {
        match (self.depth, self.all) {
            (Some(depth), _) => self.to_depth(tree, depth),
            (None, true) => self.to_depth(tree, usize::MAX),
            (None, false) => self.as_deep_as_fits(tree),
        }
    }

    fn as_deep_as_fits(self, tree: &Tree) -> Vec<Row> {
        let mut rows = self.to_depth(tree, 1);
        for depth in 2.. {
            let deeper = self.to_depth(tree, depth);
            if deeper.len() > MAX_ROWS || deeper.len() == rows.len() {
                break;
            }
            rows = deeper;
        }
        rows
    }

    fn to_depth(self, tree: &Tree, depth: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        self.siblings(tree, tree.root(), 0, depth, &mut rows);
        rows
    }

    /// Levels are bounded: by the depth of composites, and by how many segments of a name count.
    fn siblings(self, tree: &Tree, ids: &[usize], level: usize, depth: usize, rows: &mut Vec<Row>) {
        if level >= depth {
            return;
        }
        let runs = self.runs(tree, ids);
        let most = if self.all || runs.len() <= MAX_SIBLINGS { usize::MAX } else { MAX_SIBLINGS };
        for run in runs.iter().take(most) {
            let [first, ..] = run else { continue };
            let Some(node) = tree.node(*first) else { continue };
            rows.push(row(tree, node, run, level));
            self.siblings(tree, &node.children, level.saturating_add(1), depth, rows);
        }
        let left = runs.iter().skip(most).map(|run| run.len()).fold(0, usize::saturating_add);
        if left > 0 {
            rows.push(Row {
                indent: level.saturating_mul(2),
                label: format!("… {} more, --all shows them", Count(left)),
                ink: Ink::Quiet,
                text: String::new(),
                size: String::new(),
            });
        }
    }

    /// Siblings in order, those in one piece that look alike and count up.
    fn runs<'t>(self, tree: &Tree, ids: &'t [usize]) -> Vec<&'t [usize]> {
        let follows = |a: &usize, b: &usize| {
            let (Some(a), Some(b)) = (tree.node(*a), tree.node(*b)) else { return false };
            let counts_up = match (a.numbered(), b.numbered()) {
                (Some((stem, number)), Some((next_stem, next))) => {
                    stem == next_stem && number.checked_add(1) == Some(next)
                }
                _ => false,
            };
            counts_up && a.likeness == b.likeness
        };
        if self.all {
            return ids.chunks(1).collect();
        }
        ids.chunk_by(follows)
            .flat_map(|run| run.chunks(if run.len() < MIN_RUN { 1 } else { run.len() }))
            .collect()
    }
}

/// A run stands for all of its nodes: the first is described, the size is that of all.
fn row(tree: &Tree, node: &Node, run: &[usize], level: usize) -> Row {
    let mut label = node.shown_label();
    let mut text = node.text.clone();
    if !node.children.is_empty() {
        let inside = counted(node.total.tensors, "tensor");
        text = if text.is_empty() { inside } else { format!("{text}, {inside}") };
    }
    if let [_, .., last] = run {
        let last = tree.node(*last).map(Node::shown_label).unwrap_or_default();
        label = format!("{label} .. {last}");
        let each = if node.children.is_empty() { "" } else { " each" };
        text = format!("{} × {text}{each}", Count(run.len()));
    }
    let sizes = run.iter().filter_map(|id| tree.node(*id)).map(|node| node.total.bytes);
    let ink = match node.kind {
        Kind::Broken => Ink::Alarm,
        Kind::Tensor => Ink::Name,
        Kind::Prefix | Kind::Composite => Ink::Heading,
    };
    let size = Bytes(sizes.fold(0, u64::saturating_add)).to_string();
    Row { indent: level.saturating_mul(2), label, ink, text, size }
}
