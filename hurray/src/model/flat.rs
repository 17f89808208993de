//! Names of fields that flattening puts beside one another: no two may be one.
//!
//! Within a struct the derive sees to that. What lies in the type of a flattened field it can't see, so the walks
//! hold the names against one another when they come to them.

use crate::model::Field;

/// The names that stand beside one another in the groups that are open, outermost first.
#[derive(Debug, Default)]
pub(crate) struct FlatNames {
    /// The other fields of structs with a flattened one.
    beside: Vec<&'static [Field]>,
    /// Fields of flattened structs that were come to.
    seen: Vec<&'static Field>,
    base: Base,
}

/// Where the names of the innermost group begin that is not flattened.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Base {
    beside: usize,
    seen: usize,
}

impl FlatNames {
    /// Begins a group with names of its own; gives what to go back to.
    #[inline]
    pub(crate) fn open(&mut self) -> Base {
        let outer = self.base;
        self.base = Base { beside: self.beside.len(), seen: self.seen.len() };
        outer
    }

    #[inline]
    pub(crate) fn close(&mut self, outer: Base) {
        self.beside.truncate(self.base.beside);
        self.seen.truncate(self.base.seen);
        self.base = outer;
    }

    /// Notes the fields beside a flattened one.
    pub(crate) fn put_beside(&mut self, fields: &'static [Field]) {
        let known = self.beside.get(self.base.beside..).unwrap_or_default();
        if !known.iter().any(|known| std::ptr::eq(*known, fields)) {
            self.beside.push(fields);
        }
    }

    /// A field of a flattened struct: the name that another one in the same place has, too, and that other one.
    pub(crate) fn come_to(&mut self, field: &'static Field) -> Option<(&'static str, &'static Field)> {
        let beside = self.beside.get(self.base.beside..).unwrap_or_default().iter();
        let of_others = beside
            .filter(|fields| !fields.iter().any(|own| std::ptr::eq(own, field)))
            .flat_map(|fields| *fields);
        let seen = self.seen.get(self.base.seen..).unwrap_or_default().iter().copied();
        let clash = of_others.chain(seen).find_map(|other| Some((shared_name(field, other)?, other)));
        self.seen.push(field);
        clash
    }
}

fn shared_name(left: &Field, right: &Field) -> Option<&'static str> {
    let mut names = std::iter::once(&left.name).chain(left.aliases);
    names.find(|name| right.name == **name || right.aliases.contains(name)).copied()
}
