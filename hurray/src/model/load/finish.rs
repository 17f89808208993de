//! The end of a walk: what was left over.

use crate::descriptor::CompositionRule;
use crate::error::TensorError;
use crate::model::load::table::Heads;
use crate::model::load::walk::LoadWalk;
use crate::model::load::{LoadOptions, Strictness};
use crate::model::names::{RESERVED, under};
use crate::model::{LoadReport, Problem, ProblemKind};

impl LoadOptions {
    /// Whether a problem of a kind may be got over by a field that has something to fall back on.
    pub(super) fn tolerates(&self, kind: ProblemKind) -> bool {
        let strictness = match kind {
            ProblemKind::Missing => self.missing,
            ProblemKind::ElementType
            | ProblemKind::Rank
            | ProblemKind::Shape
            | ProblemKind::Layout
            | ProblemKind::Metadata => self.mismatched,
            _ => Strictness::Strict,
        };
        strictness == Strictness::Relaxed
    }
}

impl LoadWalk<'_> {
    pub(super) fn note_migrated(&mut self, old: &str, new: &str) {
        self.report.push_renamed(old, new);
    }

    /// Ends the walk: what no field wanted goes into the report, near names beside what is missing.
    pub(crate) fn finish(&mut self, start: &str) -> (LoadReport, bool) {
        let unexpected = self.unexpected(start);
        self.add_near_names(&unexpected);
        let tolerated = self.options.unexpected == Strictness::Relaxed;
        let limit = self.limits().problems;
        for name in unexpected {
            let mut problem = Problem::new(ProblemKind::Unexpected, "", "");
            problem.path = name;
            problem.is_tolerated = tolerated;
            self.report.push(problem, limit);
        }
        let contents = self.source.contents();
        let is_used = |position| self.used_kv.as_ref().is_some_and(|used| used.contains(position));
        for position in (0..contents.kv_len()).filter(|position| !is_used(*position)) {
            if let Some((key, _)) = contents.kv_at(position)
                && under(key, RESERVED).is_none()
            {
                self.report.push_unknown_metadata(key);
            }
        }
        self.report.sort();
        let fits = self.report.fits();
        (std::mem::take(&mut self.report), fits)
    }

    /// The names of tensors at or under `start` that no field wanted. Heads of groups are no tensors.
    fn unexpected(&mut self, start: &str) -> Vec<String> {
        let unused: Vec<usize> = self.used.missing().collect();
        if unused.is_empty() {
            return Vec::new();
        }
        let contents = self.source.contents();
        let mut heads = self.heads.take().unwrap_or_else(|| Heads::new(contents));
        let mut is_tensor = |position: &usize| {
            heads.find(*position).is_none_or(|(_, head)| head.rule != CompositionRule::Group)
        };
        let tensors = unused.into_iter().filter(|position| is_tensor(position));
        let names = tensors.map(|position| self.names().get(position));
        names
            .filter(|name| start.is_empty() || *name == start || under(name, start).is_some())
            .map(str::to_owned)
            .collect()
    }

    /// Names that no field wanted beside names that the file does not have.
    fn add_near_names(&mut self, unexpected: &[String]) {
        /// Comparing is quadratic: enough to help, not to stall.
        const COMPARED: usize = 200;
        let candidates = unexpected.get(..unexpected.len().min(COMPARED)).unwrap_or_default();
        let missing =
            self.report.problems_mut().iter_mut().filter(|problem| problem.kind == ProblemKind::Missing);
        for problem in missing.take(COMPARED) {
            let near = crate::reader::near_names(&problem.path, candidates.iter().map(String::as_str));
            problem.near = near.into_iter().map(String::from).collect();
        }
    }
}

/// What an error of one tensor means for the model.
pub(crate) fn problem_of(error: &TensorError, wanted: &str) -> Problem {
    use ProblemKind as Kind;
    match error {
        TensorError::NotFound { .. } => Problem::new(Kind::Missing, wanted, ""),
        TensorError::ElementType { expected, found, .. } => {
            Problem::new(Kind::ElementType, expected.to_string(), found.to_string())
        }
        TensorError::Rank { expected, found } => {
            Problem::new(Kind::Rank, format!("rank {expected}"), format!("rank {found}"))
        }
        TensorError::RankTooHigh { found, .. } => {
            Problem::new(Kind::Rank, "rank 8 at most (or a `DynTensorView`)", format!("rank {found}"))
        }
        TensorError::Shape { expected, found } => {
            Problem::new(Kind::Shape, format!("{expected:?}"), format!("{found:?}"))
        }
        TensorError::Layout { expected, found, .. } => Problem::new(Kind::Layout, *expected, *found),
        TensorError::Quantized { scheme, .. } => Problem::new(
            Kind::Layout,
            "plain elements (or a `QuantizedView`)",
            format!("quantized elements ({scheme})"),
        ),
        TensorError::Limit { limit, allowed, found, .. } => {
            Problem::new(Kind::Limit, format!("at most {allowed} (`Limits::{limit}`)"), found.to_string())
        }
        TensorError::Format(source) => Problem::new(Kind::Format, wanted, source.to_string()),
        // The problem says which tensor.
        other => Problem::new(Kind::Layout, wanted, other.unnamed().to_string()),
    }
}
