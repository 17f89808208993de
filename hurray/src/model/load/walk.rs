//! The state of one load walk: the file, where the walk is in it and in the model, and the report.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Write;

use smallvec::SmallVec;

use crate::container::DESCRIPTORS;
use crate::error::TensorError;
use crate::limits::Limits;
use crate::model::flat::{Base, FlatNames};
use crate::model::load::finish::problem_of;
use crate::model::load::names::{Names, NamesInOrder};
use crate::model::load::redirect::{Redirected, Redirects};
use crate::model::load::renaming::Renamed;
use crate::model::load::table::{Heads, Used};
use crate::model::load::{Fill, LoadOptions, Loader, Place, Reported};
use crate::model::names::{Mark, NamePath};
use crate::model::shape_rule::{Bindings, Scope};
use crate::model::{Field, LoadReport, Problem, ProblemKind};
use crate::reader::{Source, TensorEntry};
use crate::view::SharedMemory;
use crate::writer::CHECKSUMS;

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
pub(super) struct Frame {
    pub(super) scope: Scope,
    /// What names the group around it begins with; nothing for a flattened one, whose names are among those.
    outer: Option<Base>,
    /// The version of the struct in the file, if the struct has versions.
    pub(super) version: Option<u32>,
}

/// What a field's attributes say of its tensor, with the scope of the names in its shape.
pub(super) type Rules = Option<(&'static Field, Scope)>;

/// The state of one load walk.
pub(crate) struct LoadWalk<'f> {
    pub(super) source: Source<'f>,
    pub(super) renamed: Option<Renamed>,
    pub(super) options: LoadOptions,
    limits: Limits,
    pub(super) path: NamePath,
    /// The steps of `path`, each with the length before it.
    steps: SmallVec<[(Segment, Mark); 8]>,
    /// Where the path was exchanged for another: how many steps lead there, and how these are written.
    pub(super) exchanged: Vec<Redirected>,
    pub(super) redirects: Redirects,
    /// The position in file order of the tensor that comes next if the file is in the model's order.
    pub(super) next: usize,
    pub(super) used: Used,
    /// Nothing before the first.
    pub(super) used_kv: Option<Used>,
    pub(super) in_order: Option<NamesInOrder>,
    pub(super) heads: Option<Heads>,
    /// Paths of other fields that lie under that of the field which is being loaded.
    pub(super) neighbours: Vec<String>,
    /// Whether the file has any entry of ours that says something of the model.
    pub(super) has_notes: bool,
    /// The group that is open innermost.
    pub(super) frame: Frame,
    /// Those around it, outermost first; the first one is none.
    frames: SmallVec<[Frame; 8]>,
    bindings: Bindings,
    pub(super) flat: FlatNames,
    /// Whether a tensor came for the rules of the field that is being loaded.
    met_rules: bool,
    /// What `Arc`s hold that were loaded already, by the path in the file.
    shared: HashMap<String, Box<dyn Any>>,
    pub(super) report: LoadReport,
}

/// Whether an entry of ours, by its key, is about the model; copies of descriptors and checksums are about the file.
fn says_something(key: &str) -> bool {
    ![DESCRIPTORS, CHECKSUMS].contains(&key)
}

impl Frame {
    const NONE: Self = Self { scope: Scope::ROOT, outer: None, version: None };

    #[inline]
    pub(super) fn is_flattened(&self) -> bool {
        self.outer.is_none()
    }
}

impl<'f> LoadWalk<'f> {
    pub(crate) fn new(source: Source<'f>, options: &LoadOptions) -> Self {
        let contents = source.contents();
        let limits = options.limits.clone().unwrap_or_else(|| source.limits().clone());
        let has_notes = contents.kv_starting_with("hurray.").any(|(key, _)| says_something(key));
        let ties = if has_notes { contents.kv_starting_with(crate::model::names::TIED).count() } else { 0 };
        let mut walk = Self {
            used: Used::new(contents.len()),
            used_kv: None,
            report: LoadReport::default(),
            source,
            renamed: None,
            options: options.clone(),
            limits,
            path: NamePath::default(),
            steps: SmallVec::new(),
            exchanged: Vec::new(),
            redirects: Redirects::new(u64::try_from(ties).unwrap_or(u64::MAX)),
            next: 0,
            in_order: None,
            heads: None,
            neighbours: Vec::new(),
            has_notes,
            frame: Frame::NONE,
            frames: SmallVec::new(),
            bindings: Bindings::default(),
            flat: FlatNames::default(),
            met_rules: false,
            shared: HashMap::new(),
        };
        walk.rename();
        walk
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
        let contents = self.source.contents();
        contents.len().saturating_add(contents.kv_len())
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

    #[inline]
    pub(super) fn names(&self) -> Names<'_, 'f> {
        Names::new(self.source.contents(), self.renamed.as_ref())
    }

    /// The position of the tensor at the path.
    #[inline]
    pub(super) fn find(&self) -> Option<usize> {
        if self.redirects.is_nothing() {
            return None;
        }
        let (names, path) = (self.names(), self.path.as_str());
        if names.is_at(self.next, path) {
            return Some(self.next);
        }
        names.find(path)
    }

    /// The tensor at the path, which counts as used from here on.
    #[inline]
    pub(super) fn tensor(&mut self) -> Result<TensorEntry<'f>, Reported> {
        match self.find().and_then(|position| Some((position, self.source.contents().entry(position)?))) {
            Some((position, entry)) if !self.path.is_root() => {
                self.take(position);
                Ok(entry)
            }
            _ => Err(self.missing("a tensor")),
        }
    }

    #[inline]
    pub(super) fn take(&mut self, position: usize) {
        self.used.insert(position);
        self.next = position.saturating_add(1);
    }

    /// Opens a group, or fields among those of the group that is open.
    #[inline]
    pub(super) fn open(&mut self, is_flattened: bool) -> Result<(), Reported> {
        self.check_nesting(1)?;
        self.frames.push(self.frame);
        let outer = if is_flattened { None } else { Some(self.flat.open()) };
        self.frame = Frame { scope: self.bindings.open(), outer, version: None };
        Ok(())
    }

    /// Closes the group that is open innermost.
    #[inline]
    pub(super) fn close(&mut self) {
        self.bindings.close(self.frame.scope);
        if let Some(outer) = self.frame.outer {
            self.flat.close(outer);
        }
        self.frame = self.frames.pop().unwrap_or(Frame::NONE);
    }

    pub(super) fn open_scope(&self) -> Scope {
        self.bindings.open()
    }

    /// Loads a value that a field's rules hold for.
    pub(super) fn described(
        &mut self,
        scope: Scope,
        field: &'static Field,
        place: &Place,
        fill: Fill<'_, 'f>,
    ) -> Result<(), Reported> {
        if !field.describes_tensor() {
            return fill(Loader::at(self, place));
        }
        if place.rules.is_some() {
            let found = "attributes of the field and of the variant's field that describe the same tensor";
            return Err(self.report(Problem::new(ProblemKind::Refused, "one of them", found)));
        }
        let outer = std::mem::replace(&mut self.met_rules, false);
        let filled = fill(Loader::at(self, &Place { rules: Some((field, scope)), ..*place }));
        let were_met = std::mem::replace(&mut self.met_rules, outer);
        if were_met || filled.is_err() || !self.is_present(place) {
            return filled;
        }
        let expected = "one tensor, as the field's attributes say";
        Err(self.report(Problem::new(ProblemKind::Shape, expected, "something else")))
    }

    /// Refuses more steps than the model may nest.
    #[inline]
    pub(super) fn check_nesting(&mut self, steps: u64) -> Result<(), Reported> {
        let nesting = u64::try_from(self.frames.len()).unwrap_or(u64::MAX).saturating_add(steps);
        if nesting <= u64::try_from(self.limits.nesting).unwrap_or(u64::MAX) {
            return Ok(());
        }
        Err(self.nested_too_deep())
    }

    #[cold]
    fn nested_too_deep(&mut self) -> Reported {
        let expected = format!("at most {} levels (`Limits::nesting`)", self.limits.nesting);
        self.report(Problem::new(ProblemKind::Limit, expected, "more"))
    }

    /// Notes that a tensor came for what a field's attributes say.
    #[inline]
    pub(super) fn meet(&mut self, rules: Rules) {
        self.met_rules |= rules.is_some();
    }

    pub(super) fn check_shape(
        &mut self,
        field: &'static Field,
        scope: Scope,
        shape: &[u64],
    ) -> Result<(), Reported> {
        let Some(rule) = field.shape else { return Ok(()) };
        self.bindings.check(scope, rule, shape, field.rust).map_err(|expected| {
            let is_rank = !rule.contains(&crate::model::Dim::Rest) && rule.len() != shape.len();
            let kind = if is_rank { ProblemKind::Rank } else { ProblemKind::Shape };
            self.report(Problem::new(kind, expected, format!("{shape:?}")))
        })
    }

    pub(super) fn bind(&mut self, name: &'static str, size: Option<u64>) {
        let problem = match size {
            None => Problem::new(ProblemKind::Shape, "a size", "a negative number"),
            Some(size) => match self.bindings.bind(self.frame.scope, name, size, name) {
                Ok(()) => return,
                Err(clash) => Problem::new(
                    ProblemKind::Shape,
                    format!("{name} = {} (by `{}`)", clash.bound, clash.by),
                    clash.size.to_string(),
                ),
            },
        };
        let mark = self.push(Segment::Field(name), name);
        let _ = self.report(problem);
        self.pop(mark);
    }

    /// What an `Arc` at the path holds, if it was loaded already.
    pub(super) fn find_shared<T: 'static>(&self) -> Option<std::sync::Arc<T>> {
        self.shared.get(self.path.as_str())?.downcast_ref().cloned()
    }

    /// Keeps what an `Arc` holds for a second name of it. Without ties there can be none.
    pub(super) fn keep_shared<T: 'static>(&mut self, path: String, value: &std::sync::Arc<T>) {
        if self.redirects.has_ties() {
            self.shared.insert(path, Box::new(std::sync::Arc::clone(value)));
        }
    }

    pub(super) fn note_defaulted(&mut self) {
        self.report.push_defaulted(self.path.as_str());
    }

    /// Notes that a field was found under another name than `name`.
    pub(super) fn note_renamed(&mut self, name: &str) {
        self.report.push_renamed(self.path.as_str(), name);
    }

    pub(super) fn note_cast(&mut self, from: crate::ElementType, to: crate::ElementType) {
        self.report.push_cast(self.path.as_str(), from, to);
    }

    #[cold]
    pub(super) fn missing(&mut self, wanted: &str) -> Reported {
        if self.path.is_root() {
            return self.nameless();
        }
        let found = match self.redirects.is_nothing() {
            true => "nothing that the migration would take, and the field no default",
            false => "",
        };
        self.report(Problem::new(ProblemKind::Missing, wanted, found))
    }

    /// Reports a value without a name: at the root, or flattened into it, and no struct.
    fn nameless(&mut self) -> Reported {
        // Once the group of the root is open, only what is flattened has no path of its own.
        let expected = match self.frames.len() {
            0 => "a struct, map or vector at the root: wrap the value in a struct",
            _ => "a struct where it has `flatten`: a single value there has no name",
        };
        self.report(Problem::new(ProblemKind::Refused, expected, ""))
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

    /// How many problems were reported so far.
    pub(super) fn problems(&self) -> usize {
        self.report.problem_count()
    }

    /// Whether all problems reported since there were `before` may be got over by a field that has something to
    /// fall back on; then they are.
    #[cold]
    pub(super) fn tolerate_since(&mut self, before: usize) -> bool {
        let options = &self.options;
        self.report.tolerate_since(before, |kind| options.tolerates(kind))
    }

    /// The path of the field in the source: `layers[2].attention.query`.
    #[cold]
    pub(super) fn field_path(&self) -> String {
        let (done, mut field) = match self.exchanged.last() {
            Some(exchanged) => (exchanged.steps, exchanged.field.clone()),
            None => (0, String::new()),
        };
        let path = self.path.as_str();
        let steps = self.steps.get(done..).unwrap_or_default();
        let ends = steps.iter().skip(1).map(|(_, mark)| mark.length()).chain([path.len()]);
        for ((segment, mark), end) in steps.iter().zip(ends) {
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

    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }
}
