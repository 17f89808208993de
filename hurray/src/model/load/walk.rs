//! The state of one load walk: the file, where the walk is in it and in the model, and the report.

use std::fmt::Write;

use crate::container::KvRef;
use crate::descriptor::CompositionRule;
use crate::error::TensorError;
use crate::limits::Limits;
use crate::model::load::table::{Heads, NamesInOrder, Used};
use crate::model::load::{LoadOptions, Loader, Reported};
use crate::model::names::{KEYS, Mark, NamePath, RESERVED, SEQUENCE, SOME, TIED, under};
use crate::model::shape_rule::{Bindings, Scope};
use crate::model::{Dim, Field, KvEntry, LoadReport, Problem, ProblemKind};
use crate::reader::{Source, TensorEntry};
use crate::view::SharedMemory;

/// How a step down is written in the path of the field in the source.
#[derive(Debug, Clone, Copy)]
pub(super) enum Segment {
    /// A field of a struct.
    Field(&'static str),
    /// An element of a sequence.
    Index(usize),
    /// The value of a map, or a field by a name that is not in the source.
    Name,
}

/// A group that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame(Scope);

impl Frame {
    pub(super) fn scope(self) -> Scope {
        self.0
    }
}

/// A shape rule that waits for the tensor of its field.
#[derive(Debug, Clone, Copy)]
struct PendingShape {
    path: Mark,
    scope: Scope,
    rule: &'static [Dim],
    by: &'static str,
}

/// The state of one load walk.
pub(crate) struct LoadWalk<'f> {
    source: Source<'f>,
    options: LoadOptions,
    limits: Limits,
    path: NamePath,
    /// The steps of `path`, each with the length before it.
    steps: Vec<(Segment, Mark)>,
    /// The position in file order of the tensor that comes next if the file is in the model's order.
    next: usize,
    used: Used,
    used_kv: Used,
    in_order: Option<NamesInOrder>,
    heads: Option<Heads>,
    has_own_kv: bool,
    nesting: usize,
    bindings: Bindings,
    pending: Option<PendingShape>,
    report: LoadReport,
}

impl<'f> LoadWalk<'f> {
    pub(crate) fn new(source: Source<'f>, options: &LoadOptions) -> Self {
        let contents = source.contents();
        let limits = options.limits.clone().unwrap_or_else(|| source.limits().clone());
        let has_own_kv = contents.kv_starting_with("hurray.").next().is_some();
        Self {
            used: Used::new(contents.len()),
            used_kv: Used::new(contents.kv_len()),
            report: LoadReport::new(source.path()),
            source,
            options: options.clone(),
            limits,
            path: NamePath::default(),
            steps: Vec::new(),
            next: 0,
            in_order: None,
            heads: None,
            has_own_kv,
            nesting: 0,
            bindings: Bindings::default(),
            pending: None,
        }
    }

    /// Starts at a path below the root: what lies elsewhere in the file is not looked at.
    pub(crate) fn start_at(&mut self, path: &str) {
        self.path.set(path);
    }

    pub(super) fn is_root(&self) -> bool {
        self.path.is_root()
    }

    /// How many tensors and entries the file has.
    pub(super) fn things(&self) -> usize {
        self.source.contents().len().saturating_add(self.source.contents().kv_len())
    }

    pub(super) fn path(&self) -> &str {
        self.path.as_str()
    }

    pub(super) fn shared_memory(&self) -> Option<SharedMemory> {
        self.source.shared_memory()
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn options(&self) -> &LoadOptions {
        &self.options
    }

    #[inline]
    pub(super) fn push(&mut self, segment: Segment, name: &str) -> Mark {
        let mark = self.path.push(name);
        self.steps.push((segment, mark));
        mark
    }

    pub(super) fn push_index(&mut self, index: usize) -> Mark {
        let mark = self.path.push_index(index);
        self.steps.push((Segment::Index(index), mark));
        mark
    }

    #[inline]
    pub(super) fn pop(&mut self, mark: Mark) {
        self.path.truncate(mark);
        self.steps.pop();
    }

    /// The position of the tensor at the path.
    #[inline]
    fn find(&self) -> Option<usize> {
        let path = self.path.as_str();
        if self.next < self.source.contents().len() && self.source.contents().name(self.next) == path {
            return Some(self.next);
        }
        self.source.contents().find(path)
    }

    pub(super) fn has_tensor(&self) -> bool {
        self.find().is_some()
    }

    /// The tensor at the path, which counts as used from here on.
    #[inline]
    pub(super) fn tensor(&mut self) -> Result<TensorEntry<'f>, Reported> {
        match self.find() {
            Some(position) if !self.path.is_root() => {
                self.take(position);
                self.source.contents().entry(position).ok_or(Reported(()))
            }
            _ => Err(self.missing("a tensor")),
        }
    }

    #[inline]
    fn take(&mut self, position: usize) {
        self.used.insert(position);
        self.next = position.saturating_add(1);
    }

    pub(super) fn has_kv(&self) -> bool {
        self.source.contents().kv_position(self.path.as_str()).is_some()
    }

    pub(super) fn kv(&mut self) -> Result<KvEntry<'f>, Reported> {
        self.kv_wanted("a key-value entry")
    }

    pub(super) fn kv_wanted(&mut self, wanted: &str) -> Result<KvEntry<'f>, Reported> {
        match self.kv_of(None) {
            Some(value) => Ok(KvEntry(value)),
            None if self.find().is_some() => {
                Err(self.report(Problem::new(ProblemKind::Metadata, wanted, "a tensor of that name")))
            }
            None => Err(self.missing(wanted)),
        }
    }

    /// The entry at the path, or one of our own about it.
    fn kv_of(&mut self, own: Option<&str>) -> Option<KvRef<'f>> {
        let position = match own {
            None => self.source.contents().kv_position(self.path.as_str()),
            Some(_) if !self.has_own_kv => None,
            Some(prefix) => self.source.contents().kv_position(&self.path.key(prefix)),
        }?;
        self.used_kv.insert(position);
        self.source.contents().kv_at(position).map(|(_, value)| value)
    }

    /// One of our own entries about the path.
    pub(super) fn own_kv(&mut self, prefix: &str) -> Option<KvRef<'f>> {
        self.kv_of(Some(prefix))
    }

    pub(super) fn use_own_kv(&mut self, prefix: &str) {
        let _ = self.own_kv(prefix);
    }

    /// Whether the file has anything at or under the path, of which `somes` `Some`s are accounted for.
    pub(super) fn is_present(&mut self, somes: u64) -> bool {
        let path = self.path.as_str();
        if path.is_empty() {
            return self.source.contents().len() > 0 || self.source.contents().kv_len() > 0;
        }
        if self.next < self.source.contents().len()
            && let Some(rest) = self.source.contents().name(self.next).strip_prefix(path)
            && (rest.is_empty() || rest.starts_with('.'))
        {
            return true;
        }
        self.has_kv() || self.has_tensor() || self.has_anything_under() || self.is_noted(somes)
    }

    fn has_anything_under(&mut self) -> bool {
        let mut prefix = self.path.as_str().to_owned();
        prefix.push('.');
        let in_order = self.in_order.get_or_insert_with(|| NamesInOrder::new(self.source.contents()));
        in_order.starting_with(self.source.contents(), &prefix).next().is_some()
            || self.source.contents().kv_starting_with(&prefix).next().is_some()
    }

    /// Whether one of our own entries says that there is something at or under the path.
    fn is_noted(&mut self, somes: u64) -> bool {
        if !self.has_own_kv {
            return false;
        }
        let noted_somes = match self.own_kv(SOME) {
            Some(KvRef::Bool(true)) => 1,
            Some(KvRef::UInt64(somes)) => somes,
            _ => 0,
        };
        if noted_somes > somes {
            return true;
        }
        [SEQUENCE, KEYS, TIED].iter().any(|prefix| self.own_kv(prefix).is_some())
            || [SOME, SEQUENCE, KEYS, TIED].iter().any(|prefix| {
                let mut prefix = self.path.key(prefix);
                prefix.push('.');
                self.source.contents().kv_starting_with(&prefix).next().is_some()
            })
    }

    /// The names of tensors under the path, in ascending order, each without the path and its dot.
    pub(super) fn names_under(&mut self) -> Vec<&'f str> {
        let path = self.path.as_str();
        let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
        let in_order = self.in_order.get_or_insert_with(|| NamesInOrder::new(self.source.contents()));
        in_order.starting_with(self.source.contents(), &prefix).filter_map(|name| under(name, path)).collect()
    }

    /// Members that the head at the path says it has; `None` without a head. Any head has to be a whole group's.
    pub(super) fn head(&mut self) -> Result<Option<u32>, Reported> {
        if self.path.is_root() {
            return Ok(None);
        }
        let Some(position) = self.find() else { return Ok(None) };
        let heads = self.heads.get_or_insert_with(|| Heads::new(self.source.contents()));
        let Some(head) = heads.at(position) else {
            return Err(self.report(Problem::new(
                ProblemKind::Layout,
                "a group of fields",
                "a tensor of that name",
            )));
        };
        if head.rule != CompositionRule::Group {
            return Err(self.report(Problem::new(
                ProblemKind::Layout,
                "a group of fields",
                "a composite of another rule",
            )));
        }
        if !head.is_complete {
            let found = format!("a torn group: its head wants {} members", head.members);
            return Err(self.report(Problem::new(ProblemKind::Format, "a whole group (CMP-12)", found)));
        }
        self.take(position);
        Ok(Some(head.members))
    }

    pub(super) fn open(&mut self) -> Result<Frame, Reported> {
        self.check_nesting()?;
        self.head()?;
        Ok(self.enter())
    }

    fn check_nesting(&mut self) -> Result<(), Reported> {
        if self.nesting >= self.limits.nesting {
            let expected = format!("at most {} levels (`Limits::nesting`)", self.limits.nesting);
            return Err(self.report(Problem::new(ProblemKind::Limit, expected, "more")));
        }
        Ok(())
    }

    /// Opens a group whose head was looked at already.
    pub(super) fn open_counted(&mut self) -> Result<Frame, Reported> {
        self.check_nesting()?;
        Ok(self.enter())
    }

    fn enter(&mut self) -> Frame {
        self.nesting = self.nesting.saturating_add(1);
        Frame(self.bindings.open())
    }

    pub(super) fn close(&mut self, frame: Frame) {
        self.nesting = self.nesting.saturating_sub(1);
        self.bindings.close(frame.0);
    }

    pub(super) fn open_scope(&self) -> Scope {
        self.bindings.open()
    }

    /// Loads a value that a field's rules hold for.
    pub(super) fn described<T>(
        &mut self,
        scope: Scope,
        field: &Field,
        load: impl FnOnce(Loader<'_, 'f>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        let Some(rule) = field.shape else { return load(Loader::at(self, 0)) };
        self.pending = Some(PendingShape { path: self.path.mark(), scope, rule, by: field.rust });
        let value = load(Loader::at(self, 0));
        let was_taken = self.pending.take().is_none();
        if was_taken || value.is_err() || !self.is_present(0) {
            return value;
        }
        Err(self.report(Problem::new(
            ProblemKind::Shape,
            "one tensor, as its `shape` rule says",
            "something else",
        )))
    }

    /// Whether a shape rule waits for the tensor at the path.
    #[inline]
    pub(super) fn expects_shape(&self) -> bool {
        self.pending.is_some_and(|pending| pending.path == self.path.mark())
    }

    pub(super) fn check_shape(&mut self, shape: &[u64]) -> Result<(), Reported> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        self.bindings.check(pending.scope, pending.rule, shape, pending.by).map_err(|expected| {
            let kind = match pending.rule {
                rule if rule.contains(&Dim::Rest) => ProblemKind::Shape,
                rule if rule.len() != shape.len() => ProblemKind::Rank,
                _ => ProblemKind::Shape,
            };
            self.report(Problem::new(kind, expected, format!("{shape:?}")))
        })
    }

    pub(super) fn bind(&mut self, frame: Frame, name: &'static str, size: Option<u64>) {
        let Some(size) = size else {
            let _ = self.report(Problem::new(
                ProblemKind::Shape,
                format!("`{name}` as a size"),
                "a negative number",
            ));
            return;
        };
        if let Err(clash) = self.bindings.bind(frame.0, name, size, name) {
            let expected = format!("{name} = {} (by `{}`)", clash.bound, clash.by);
            let mark = self.push(Segment::Field(name), name);
            let _ = self.report(Problem::new(ProblemKind::Shape, expected, clash.size.to_string()));
            self.pop(mark);
        }
    }

    pub(super) fn note_defaulted(&mut self) {
        self.report.push_defaulted(self.path.as_str());
    }

    #[cold]
    pub(super) fn missing(&mut self, wanted: &str) -> Reported {
        self.report(Problem::new(ProblemKind::Missing, wanted, ""))
    }

    /// Reports why the tensor at the path can't be taken. `wanted` says what the field is, if the error does not.
    #[cold]
    pub(super) fn refuse(&mut self, error: &TensorError, wanted: &str) -> Reported {
        self.report(problem_of(error, wanted))
    }

    #[cold]
    pub(super) fn report(&mut self, mut problem: Problem) -> Reported {
        if problem.path.is_empty() {
            problem.path = self.path.as_str().to_owned();
        }
        if problem.field.is_empty() {
            problem.field = self.field_path();
        }
        self.report.push(problem, self.limits.problems);
        Reported(())
    }

    /// The path of the field in the source: `layers[2].attention.query`.
    #[cold]
    fn field_path(&self) -> String {
        let mut field = String::new();
        let path = self.path.as_str();
        let ends = self.steps.iter().skip(1).map(|(_, mark)| mark.length()).chain([path.len()]);
        for ((segment, mark), end) in self.steps.iter().zip(ends) {
            let written = match segment {
                Segment::Field(name) if field.is_empty() => write!(field, "{name}"),
                Segment::Field(name) => write!(field, ".{name}"),
                Segment::Index(index) => write!(field, "[{index}]"),
                Segment::Name => {
                    let name = path.get(mark.length()..end).unwrap_or_default();
                    write!(field, "[{:?}]", name.strip_prefix('.').unwrap_or(name))
                }
            };
            debug_assert!(written.is_ok(), "writing to a String does not fail");
        }
        field
    }

    /// Ends the walk: what no field wanted goes into the report, near names beside what is missing.
    pub(crate) fn finish(mut self, start: &str) -> (LoadReport, bool) {
        let unused: Vec<usize> = self.used.missing().collect();
        let mut unexpected = Vec::new();
        if !unused.is_empty() {
            let heads = self.heads.get_or_insert_with(|| Heads::new(self.source.contents()));
            let is_tensor =
                |position: &usize| heads.at(*position).is_none_or(|head| head.rule != CompositionRule::Group);
            let names = unused
                .iter()
                .filter(|position| is_tensor(position))
                .map(|position| self.source.contents().name(*position));
            unexpected.extend(
                names.filter(|name| start.is_empty() || *name == start || under(name, start).is_some()),
            );
        }
        self.add_near_names(&unexpected);
        for name in unexpected {
            if self.options.allow_unexpected {
                self.report.push_ignored(name);
            } else {
                let mut problem = Problem::new(ProblemKind::Unexpected, "", "");
                problem.path = name.to_owned();
                self.report.push(problem, self.limits.problems);
            }
        }
        for position in self.used_kv.missing() {
            if let Some((key, _)) = self.source.contents().kv_at(position)
                && under(key, RESERVED).is_none()
            {
                self.report.push_unknown_metadata(key);
            }
        }
        self.report.sort();
        let fits = self.report.problem_count() == 0;
        (self.report, fits)
    }

    /// Names that no field wanted beside names that the file does not have.
    fn add_near_names(&mut self, unexpected: &[&str]) {
        /// Comparing is quadratic: enough to help, not to stall.
        const COMPARED: usize = 200;
        let candidates = unexpected.get(..unexpected.len().min(COMPARED)).unwrap_or_default();
        let missing =
            self.report.problems_mut().iter_mut().filter(|problem| problem.kind == ProblemKind::Missing);
        for problem in missing.take(COMPARED) {
            let near = crate::reader::near_names(&problem.path, candidates.iter().copied());
            problem.near = near.into_iter().map(String::from).collect();
        }
    }
}

/// What an error of one tensor means for the model.
pub(crate) fn problem_of(error: &TensorError, wanted: &str) -> Problem {
    use ProblemKind as Kind;
    match error {
        TensorError::NotFound { .. } => Problem::new(Kind::Missing, wanted, ""),
        TensorError::ElementType { expected, found } => {
            Problem::new(Kind::ElementType, expected.to_string(), found.to_string())
        }
        TensorError::Rank { expected, found } => {
            Problem::new(Kind::Rank, format!("rank {expected}"), format!("rank {found}"))
        }
        TensorError::RankTooHigh { found } => {
            Problem::new(Kind::Rank, "rank 8 at most (or a `DynTensorView`)", format!("rank {found}"))
        }
        TensorError::Shape { expected, found } => {
            Problem::new(Kind::Shape, format!("{expected:?}"), format!("{found:?}"))
        }
        TensorError::Layout { expected, found } => Problem::new(Kind::Layout, *expected, *found),
        TensorError::Quantized { scheme } => Problem::new(
            Kind::Layout,
            "plain elements (or a `QuantizedView`)",
            format!("quantized elements ({scheme})"),
        ),
        TensorError::Limit { limit, allowed, found } => {
            Problem::new(Kind::Limit, format!("at most {allowed} (`Limits::{limit}`)"), found.to_string())
        }
        TensorError::Format(source) => Problem::new(Kind::Format, wanted, source.to_string()),
        other => Problem::new(Kind::Layout, wanted, other.to_string()),
    }
}
