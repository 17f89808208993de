//! A collector of errors: all of them are reported at once, none stops the parse.

use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

use quote::ToTokens;

/// Gathers errors until [`finish`](Self::finish). Dropping one that was not finished is a bug of this crate.
pub(crate) struct Ctxt {
    /// `None` once finished.
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Records an error that underlines `tokens`.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Records an error that has its span already.
    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// Records the error of a result.
    pub(crate) fn ok<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// All errors as one, if there is any.
    pub(crate) fn finish(self) -> syn::Result<()> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        let combined = errors.into_iter().reduce(|mut all, next| {
            all.combine(next);
            all
        });
        combined.map_or(Ok(()), Err)
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        if !thread::panicking() && self.errors.get_mut().is_some() {
            panic!("the errors of a derive were not looked at");
        }
    }
}
