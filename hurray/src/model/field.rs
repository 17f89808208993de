//! What is static about a field: written once by the derive, as data.

/// One dimension of a `shape = [..]` rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dim {
    /// Exactly this many elements.
    Fixed(u64),
    /// A size that all uses of the name in one struct share.
    Name(&'static str),
    /// Any size.
    Any,
    /// Any number of dimensions.
    Rest,
}

/// What `partition(..)` says of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) axis: usize,
    /// How many parts a save makes; none for a field that holds the part of one rank.
    pub(crate) count: Option<usize>,
}

/// What is static about a field.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name in the file, relative to the struct; may be a dotted path.
    pub(crate) name: &'static str,
    /// The name in the source.
    pub(crate) rust: &'static str,
    pub(crate) aliases: &'static [&'static str],
    /// Names of other fields of the struct that are paths under this one's, such as `w.scale` for `w`.
    pub(crate) neighbours: &'static [&'static str],
    pub(crate) shape: Option<&'static [Dim]>,
    /// The absolute path of the tensor or group that the field is another name of.
    pub(crate) tied: Option<&'static str>,
    /// The element type in the file, by its name.
    pub(crate) element_type: Option<&'static str>,
    /// Whether real floats of other widths are converted when loading.
    pub(crate) cast: bool,
    /// Whether strided sources keep their strides in the file.
    pub(crate) keep_layout: bool,
    /// The alignment in bytes that the buffer handle declares.
    pub(crate) align: Option<u32>,
    pub(crate) parts: Option<Parts>,
    /// The version of the struct that has the field first.
    pub(crate) since: Option<u32>,
    /// Whether the name says all: nothing is said of the tensor, and there is one name only.
    pub(crate) is_name_only: bool,
}

impl Field {
    /// A field whose name in the file is that in the source.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            rust: name,
            aliases: &[],
            neighbours: &[],
            shape: None,
            tied: None,
            element_type: None,
            cast: false,
            keep_layout: false,
            align: None,
            parts: None,
            since: None,
            is_name_only: true,
        }
    }

    /// The name in the source, where it is another one.
    #[must_use]
    pub const fn rust(mut self, rust: &'static str) -> Self {
        self.rust = rust;
        self
    }

    /// Names under which a file may have the field, too.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self.is_name_only = false;
        self
    }

    /// Names of other fields of the struct that are paths under this one's.
    #[must_use]
    pub const fn neighbours(mut self, neighbours: &'static [&'static str]) -> Self {
        self.neighbours = neighbours;
        self.is_name_only = false;
        self
    }

    /// Whether elements are converted on the way.
    pub(crate) const fn converts(&self) -> bool {
        self.cast || self.element_type.is_some()
    }

    /// Whether anything but the name is said of the tensor that the field has to be.
    pub(crate) const fn describes_tensor(&self) -> bool {
        if self.is_name_only {
            return false;
        }
        self.shape.is_some()
            || self.element_type.is_some()
            || self.cast
            || self.keep_layout
            || self.align.is_some()
            || self.parts.is_some()
    }

    /// What the tensor's shape has to be.
    #[must_use]
    pub const fn shape(mut self, shape: &'static [Dim]) -> Self {
        self.shape = Some(shape);
        self.is_name_only = false;
        self
    }

    /// The tensor or group that the field is another name of.
    #[must_use]
    pub const fn tied(mut self, target: &'static str) -> Self {
        self.tied = Some(target);
        self
    }

    /// The element type in the file.
    #[must_use]
    pub const fn element_type(mut self, name: &'static str) -> Self {
        self.element_type = Some(name);
        self.is_name_only = false;
        self
    }

    /// Real floats of other widths are converted when loading.
    #[must_use]
    pub const fn cast(mut self) -> Self {
        self.cast = true;
        self.is_name_only = false;
        self
    }

    /// Strided sources keep their strides in the file.
    #[must_use]
    pub const fn layout_keep(mut self) -> Self {
        self.keep_layout = true;
        self.is_name_only = false;
        self
    }

    /// Strided sources are gathered in row-major order: the default.
    #[must_use]
    pub const fn layout_row_major(mut self) -> Self {
        self.keep_layout = false;
        self
    }

    /// The alignment in bytes that the buffer handle declares.
    #[must_use]
    pub const fn align(mut self, bytes: u32) -> Self {
        self.align = Some(bytes);
        self.is_name_only = false;
        self
    }

    /// The tensor is split along an axis.
    #[must_use]
    pub const fn parts(mut self, axis: usize, count: usize) -> Self {
        self.parts = Some(Parts { axis, count: Some(count) });
        self.is_name_only = false;
        self
    }

    /// The field holds the part of one rank of a tensor that is split along an axis.
    #[must_use]
    pub const fn part(mut self, axis: usize) -> Self {
        self.parts = Some(Parts { axis, count: None });
        self.is_name_only = false;
        self
    }

    /// The version of the struct that has the field first.
    #[must_use]
    pub const fn since(mut self, version: u32) -> Self {
        self.since = Some(version);
        self
    }
}

/// What is static about a variant of an enum.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
}

impl Variant {
    /// A variant with its name in the file.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, aliases: &[] }
    }

    /// Names under which a file may have the variant, too.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}
