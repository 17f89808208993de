//! Shape rules: `shape = [out_features, 4096, _, ..]`, with names bound across one struct.

use std::fmt::{self, Write};

use crate::model::Dim;

/// A size that a name stands for, and the field that gave it.
#[derive(Debug, Clone, Copy)]
struct Binding {
    name: &'static str,
    size: u64,
    by: &'static str,
}

/// The names bound by the structs that are being walked, outermost first.
#[derive(Debug, Default)]
pub(crate) struct Bindings(Vec<Binding>);

/// Where the names of one struct begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope(usize);

impl Scope {
    /// Around all others.
    pub(crate) const ROOT: Self = Self(0);
}

/// The size of a name differs from what it was bound to.
#[derive(Debug)]
pub(crate) struct Clash {
    pub(crate) size: u64,
    pub(crate) bound: u64,
    pub(crate) by: &'static str,
}

impl Bindings {
    pub(crate) fn open(&self) -> Scope {
        Scope(self.0.len())
    }

    pub(crate) fn close(&mut self, scope: Scope) {
        self.0.truncate(scope.0);
    }

    fn get(&self, scope: Scope, name: &str) -> Option<&Binding> {
        self.0.get(scope.0..)?.iter().find(|binding| binding.name == name)
    }

    /// The first use binds; later ones have to agree.
    pub(crate) fn bind(
        &mut self,
        scope: Scope,
        name: &'static str,
        size: u64,
        by: &'static str,
    ) -> Result<(), Clash> {
        match self.get(scope, name) {
            None => {
                self.0.push(Binding { name, size, by });
                Ok(())
            }
            Some(bound) if bound.size == size => Ok(()),
            Some(bound) => Err(Clash { size, bound: bound.size, by: bound.by }),
        }
    }

    /// Holds a shape against a rule, and binds the rule's free names when all of it fits.
    ///
    /// The error is the rule in words, with what its names stand for.
    pub(crate) fn check(
        &mut self,
        scope: Scope,
        rule: &'static [Dim],
        shape: &[u64],
        by: &'static str,
    ) -> Result<(), String> {
        let bound_before = self.0.len();
        if self.fits(scope, rule, shape, by) {
            return Ok(());
        }
        self.0.truncate(bound_before);
        Err(self.explain(scope, rule))
    }

    fn fits(&mut self, scope: Scope, rule: &'static [Dim], shape: &[u64], by: &'static str) -> bool {
        let rest = rule.iter().position(|dim| *dim == Dim::Rest);
        let (front, back) = match rest {
            Some(at) => {
                let (front, back) = rule.split_at(at);
                (front, back.get(1..).unwrap_or_default())
            }
            None => (rule, &[][..]),
        };
        let fixed = front.len().saturating_add(back.len());
        if shape.len() < fixed || (rest.is_none() && shape.len() != fixed) {
            return false;
        }
        let skipped = shape.len().saturating_sub(back.len());
        let sizes = shape.iter().take(front.len()).chain(shape.iter().skip(skipped));
        front.iter().chain(back).zip(sizes).all(|(dim, &size)| match *dim {
            Dim::Fixed(fixed) => fixed == size,
            Dim::Name(name) => self.bind(scope, name, size, by).is_ok(),
            Dim::Any | Dim::Rest => true,
        })
    }

    #[cold]
    fn explain(&self, scope: Scope, rule: &[Dim]) -> String {
        let mut text = DisplayRule(rule).to_string();
        let mut separator = " where ";
        for dim in rule {
            if let Dim::Name(name) = dim
                && let Some(binding) = self.get(scope, name)
            {
                // Writing to a String does not fail.
                let _ = write!(text, "{separator}{name} = {} (by `{}`)", binding.size, binding.by);
                separator = ", ";
            }
        }
        text
    }
}

/// A rule as it is written in the attribute.
pub(crate) struct DisplayRule<'r>(pub(crate) &'r [Dim]);

impl fmt::Display for DisplayRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (position, dim) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            match dim {
                Dim::Fixed(size) => write!(f, "{size}")?,
                Dim::Name(name) => f.write_str(name)?,
                Dim::Any => f.write_str("_")?,
                Dim::Rest => f.write_str("..")?,
            }
        }
        f.write_str("]")
    }
}

/// An integer that may stand for a dimension's size: a KV field of the name that a shape rule uses.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the size of a dimension",
    note = "a field whose name appears in a `shape = [..]` of the same struct has to be an integer"
)]
pub trait AsDimension {
    /// The size in elements; `None` when negative.
    #[doc(hidden)]
    fn as_dimension(&self) -> Option<u64>;
}

macro_rules! dimensions {
    ($($integer:ty)*) => {
        $(impl AsDimension for $integer {
            fn as_dimension(&self) -> Option<u64> {
                u64::try_from(*self).ok()
            }
        })*
    };
}

dimensions! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

#[cfg(test)]
mod tests {
    use super::{Bindings, Dim};

    #[test]
    fn the_first_use_of_a_name_binds_and_later_ones_have_to_agree() {
        let mut bindings = Bindings::default();
        let scope = bindings.open();
        assert!(bindings.check(scope, &[Dim::Name("out"), Dim::Name("in")], &[3, 4], "weight").is_ok());
        assert!(bindings.check(scope, &[Dim::Name("out")], &[3], "bias").is_ok());
        let error = bindings.check(scope, &[Dim::Name("in")], &[3], "bias").unwrap_err();
        assert_eq!(error, "[in] where in = 4 (by `weight`)");
    }

    #[test]
    fn a_rule_that_does_not_fit_binds_nothing() {
        let mut bindings = Bindings::default();
        let scope = bindings.open();
        assert!(bindings.check(scope, &[Dim::Name("n"), Dim::Fixed(2)], &[7, 3], "a").is_err());
        assert!(bindings.check(scope, &[Dim::Name("n")], &[9], "b").is_ok());
    }

    #[test]
    fn rest_stands_for_any_number_of_dimensions() {
        let mut bindings = Bindings::default();
        let scope = bindings.open();
        let rule = &[Dim::Fixed(2), Dim::Rest, Dim::Fixed(5)];
        assert!(bindings.check(scope, rule, &[2, 5], "a").is_ok());
        assert!(bindings.check(scope, rule, &[2, 9, 9, 5], "a").is_ok());
        assert!(bindings.check(scope, rule, &[2], "a").is_err());
        assert!(bindings.check(scope, rule, &[2, 9, 4], "a").is_err());
    }

    #[test]
    fn an_inner_struct_has_names_of_its_own() {
        let mut bindings = Bindings::default();
        let outer = bindings.open();
        assert!(bindings.bind(outer, "n", 1, "a").is_ok());
        let inner = bindings.open();
        assert!(bindings.bind(inner, "n", 2, "b").is_ok());
        bindings.close(inner);
        assert!(bindings.bind(outer, "n", 2, "c").is_err());
    }
}
