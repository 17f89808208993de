//! The load report: everything that a load found wrong or did on its own, in one list.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::element::ElementType;
use crate::error::near_names;

/// What kind of difference lies between the file and the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The model wants it, and the file does not have it.
    Missing,
    /// The file has a tensor that no field wants.
    Unexpected,
    /// Another element type.
    ElementType,
    /// Another number of dimensions.
    Rank,
    /// Another size of a dimension.
    Shape,
    /// The tensor lies in the file in a way that the field can't show.
    Layout,
    /// A key-value entry, or what it says, does not fit.
    Metadata,
    /// The file breaks a rule of the format there.
    Format,
    /// A second name does not lead to a stored tensor or group.
    Tie,
    /// The struct in the file is of a newer version.
    Version,
    /// A limit of [`Limits`](crate::Limits) is exceeded.
    Limit,
    /// What a hand-written impl, a validation or a conversion refused.
    Refused,
}

impl ProblemKind {
    /// One word or two, for counts: `missing`, `element type`, ...
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Unexpected => "unexpected",
            Self::ElementType => "element type",
            Self::Rank => "rank",
            Self::Shape => "shape",
            Self::Layout => "layout",
            Self::Metadata => "metadata",
            Self::Format => "format",
            Self::Tie => "tie",
            Self::Version => "version",
            Self::Limit => "limit",
            Self::Refused => "refused",
        }
    }
}

/// One difference between the file and the model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What kind of difference.
    pub kind: ProblemKind,
    /// The path in the file: segments joined by dots.
    pub path: String,
    /// The path of the field in the source, such as `layers[2].weight`; empty for what no field wants.
    pub field: String,
    /// What the model wants there.
    pub expected: String,
    /// What the file has there.
    pub found: String,
    /// Names in the file that look like a missing one.
    pub near: Vec<String>,
    /// Whether the load went on all the same, since it was told to and the field had something to fall back on.
    pub is_tolerated: bool,
}

impl Problem {
    /// A problem of some kind; the loader fills in where.
    #[must_use]
    pub fn new(kind: ProblemKind, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            kind,
            path: String::new(),
            field: String::new(),
            expected: expected.into(),
            found: found.into(),
            near: Vec::new(),
            is_tolerated: false,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, path: full_path, field, expected, found, near, .. } = self;
        // Names come from the file: no control character of one reaches a terminal.
        let path = full_path.escape_debug();
        match kind {
            ProblemKind::Missing => write!(f, "`{path}` is missing")?,
            ProblemKind::Unexpected => write!(f, "`{path}` is not wanted by any field")?,
            _ => write!(f, "`{path}`: {}", kind.name())?,
        }
        match (expected.is_empty(), found.is_empty()) {
            (false, false) => write!(f, ": the file has {found}, the struct wants {expected}")?,
            (false, true) => write!(f, ": the struct wants {expected}")?,
            (true, false) => write!(f, ": the file has {found}")?,
            (true, true) => {}
        }
        if !field.is_empty() && field != full_path {
            write!(f, " (field `{field}`)")?;
        }
        if !near.is_empty() {
            f.write_str(&near_names(near))?;
        }
        Ok(())
    }
}

/// What a load found: problems, and what it did on its own where it was allowed to.
///
/// The `Display` form begins with a line of counts and lists up to 20 problems; [`LoadReport::problems`] has
/// all that were kept.
#[must_use = "a report says what the file had and the model did not, and the other way round"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadReport {
    file: Option<PathBuf>,
    problems: Vec<Problem>,
    /// Of all problems, those not kept included.
    pub(super) counts: Vec<(ProblemKind, usize)>,
    /// Of all problems, how many the load went on in spite of.
    tolerated: usize,
    defaulted: Vec<String>,
    renamed: Vec<(String, String)>,
    cast: Vec<(String, ElementType, ElementType)>,
    unknown_metadata: Vec<String>,
}

impl LoadReport {
    /// A report of nothing.
    #[cfg(any(feature = "burn", feature = "candle"))]
    pub(crate) fn new(file: Option<&Path>) -> Self {
        Self::default().of_file(file)
    }

    /// The same report of a file.
    pub(crate) fn of_file(self, file: Option<&Path>) -> Self {
        Self { file: file.map(Path::to_owned), ..self }
    }

    /// Counts a problem, and keeps it unless `limit` are kept already.
    #[cold]
    pub(crate) fn push(&mut self, problem: Problem, limit: usize) {
        match self.counts.iter_mut().find(|(kind, _)| *kind == problem.kind) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.counts.push((problem.kind, 1)),
        }
        if problem.is_tolerated {
            self.tolerated = self.tolerated.saturating_add(1);
        }
        if self.problems.len() < limit {
            self.problems.push(problem);
        }
    }

    /// Marks all problems after the first `before` as tolerated, if `may` holds for each; one that was not kept
    /// can't be told.
    pub(crate) fn tolerate_since(&mut self, before: usize, may: impl Fn(ProblemKind) -> bool) -> bool {
        if self.problem_count() != self.problems.len() {
            return false;
        }
        let new = self.problems.get_mut(before..).unwrap_or_default();
        if new.is_empty() {
            return false;
        }
        if !new.iter().all(|problem| problem.is_tolerated || may(problem.kind)) {
            return false;
        }
        for problem in new.iter_mut().filter(|problem| !problem.is_tolerated) {
            problem.is_tolerated = true;
            self.tolerated = self.tolerated.saturating_add(1);
        }
        true
    }

    /// Whether the file fits the model, as far as the load was told to mind.
    pub(crate) fn fits(&self) -> bool {
        self.problem_count() == self.tolerated
    }

    pub(crate) fn push_renamed(&mut self, old: &str, new: &str) {
        self.renamed.push((old.to_owned(), new.to_owned()));
    }

    pub(crate) fn push_cast(&mut self, path: &str, from: ElementType, to: ElementType) {
        self.cast.push((path.to_owned(), from, to));
    }

    pub(crate) fn push_defaulted(&mut self, path: &str) {
        self.defaulted.push(path.to_owned());
    }

    pub(crate) fn push_unknown_metadata(&mut self, key: &str) {
        self.unknown_metadata.push(key.to_owned());
    }

    /// Sorts by kind, then by path.
    pub(crate) fn sort(&mut self) {
        self.problems.sort_by(|left, right| (left.kind, &left.path).cmp(&(right.kind, &right.path)));
        self.counts.sort_unstable();
    }

    pub(crate) fn problems_mut(&mut self) -> &mut [Problem] {
        &mut self.problems
    }

    /// The file, where there is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The problems that were kept, sorted by kind and path.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// How many problems of a kind there are, those not kept included.
    #[must_use]
    pub fn count(&self, kind: ProblemKind) -> usize {
        self.counts.iter().find(|(counted, _)| *counted == kind).map_or(0, |(_, count)| *count)
    }

    /// How many problems there are, those not kept included.
    #[must_use]
    pub fn problem_count(&self) -> usize {
        self.counts.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Paths of fields that the file does not have and that took their default.
    #[must_use]
    pub fn defaulted(&self) -> &[String] {
        &self.defaulted
    }

    /// Tensors whose names a key map, an alias or a migration changed: the name in the file, and in the model.
    #[must_use]
    pub fn renamed(&self) -> &[(String, String)] {
        &self.renamed
    }

    /// Paths of tensors that were converted, with the element types in the file and in the model.
    #[must_use]
    pub fn cast(&self) -> &[(String, ElementType, ElementType)] {
        &self.cast
    }

    /// The whole report as one JSON object: `file`, `counts`, and the lists `problems`, `defaulted`, `renamed`, `cast`
    /// and `unknown_metadata`.
    ///
    /// ```
    /// # use hurray::{HurrayLoad, HurraySave};
    /// # #[derive(HurraySave)]
    /// # struct Written { bias: Vec<f32> }
    /// # #[derive(HurrayLoad)]
    /// # struct Read { #[expect(dead_code)] weight: Vec<f32> }
    /// let bytes = hurray::to_bytes(&Written { bias: vec![1.0] })?;
    /// let error = hurray::from_slice::<Read>(&bytes).err().unwrap();
    /// let json = error.report().unwrap().to_json();
    /// assert!(json.starts_with(r#"{"file":null,"counts":{"missing":1,"unexpected":1},"problems":[{"kind":"missing","#));
    /// # Ok::<(), hurray::SaveError>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        super::report_json::to_json(self)
    }

    /// Keys of key-value entries that no field wants. They never fail a load.
    #[must_use]
    pub fn unknown_metadata(&self) -> &[String] {
        &self.unknown_metadata
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        if self.problems.is_empty() {
            return f.write_str("the file fits the model");
        }
        match &self.file {
            Some(file) => write!(f, "`{}` does not fit the model: ", file.display())?,
            None => f.write_str("the bytes do not fit the model: ")?,
        }
        for (position, (kind, count)) in self.counts.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}{count} {}", kind.name())?;
        }
        for problem in self.problems.iter().take(SHOWN) {
            write!(f, "\n  {problem}")?;
        }
        match self.problem_count().saturating_sub(SHOWN.min(self.problems.len())) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}
