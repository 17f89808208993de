use crate::{ast::Container, ctxt::Ctxt};
pub(crate) fn check(_: &Ctxt, _: &Container<'_>) {}
