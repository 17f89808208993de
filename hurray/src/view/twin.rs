//! What all views have in common: a borrowing one, its `'static` twin, and the way between them and a file.

use super::bytes::SharedBytes;
use super::raw::RawTensor;
use crate::error::TensorError;

/// How the model layer makes a view of a stored tensor, and stores a view.
pub(crate) trait View<'a>: Sized {
    /// The `'static` twin.
    type Twin: 'static;

    /// A view of a tensor, if the view can show it.
    fn from_raw(raw: RawTensor<'a>) -> Result<Self, TensorError>;

    /// The descriptor and buffers that the view shows: what is to be saved.
    fn raw(&self) -> &RawTensor<'a>;

    /// The twin, with each buffer kept alive by what `share` makes of it.
    fn to_twin(&self, share: &dyn Fn(&'a [u8]) -> SharedBytes) -> Self::Twin;
}

/// Defines a borrowing view of a tensor and its `'static` twin, around a plan that is made once per tensor.
macro_rules! views {
    (
        $(#[$view_meta:meta])* view $view:ident;
        $(#[$twin_meta:meta])* twin $twin:ident;
        plan $plan:ident; elements $bound:ident;
    ) => {
        $(#[$view_meta])*
        #[derive(Debug, Clone)]
        pub struct $view<'a, T> {
            raw: $crate::view::raw::RawTensor<'a>,
            plan: $plan<T>,
        }

        $(#[$twin_meta])*
        #[derive(Debug, Clone)]
        pub struct $twin<T> {
            tensor: $crate::view::raw::SharedTensor,
            plan: $plan<T>,
        }

        $crate::view::twin::views! { @impls [<'a, T: $bound>] [<T: $bound>] [<'a, T>] [<'_, T>] [<T>] $view $twin $plan }
    };
    (
        $(#[$view_meta:meta])* view $view:ident;
        $(#[$twin_meta:meta])* twin $twin:ident;
        plan $plan:ident;
    ) => {
        $(#[$view_meta])*
        #[derive(Debug, Clone)]
        pub struct $view<'a> {
            raw: $crate::view::raw::RawTensor<'a>,
            plan: $plan,
        }

        $(#[$twin_meta])*
        #[derive(Debug, Clone)]
        pub struct $twin {
            tensor: $crate::view::raw::SharedTensor,
            plan: $plan,
        }

        $crate::view::twin::views! { @impls [<'a>] [] [<'a>] [<'_>] [] $view $twin $plan }
    };
    (@impls [$($view_generics:tt)*] [$($twin_generics:tt)*] [$($view_args:tt)*] [$($short_args:tt)*]
        [$($twin_args:tt)*] $view:ident $twin:ident $plan:ident) => {
        impl $($view_generics)* $view $($view_args)* {
            /// The shape in elements, dimension 0 first.
            #[must_use]
            pub fn shape(&self) -> &[usize] {
                self.plan.shape()
            }

            /// The descriptor in the file, or the one that a save would write.
            #[must_use]
            pub fn descriptor(&self) -> &$crate::descriptor::TensorDescriptor {
                self.raw.descriptor()
            }
        }

        impl $($twin_generics)* $twin $($twin_args)* {
            /// The view that all access goes through.
            #[must_use]
            pub fn view(&self) -> $view $($short_args)* {
                $view { raw: self.tensor.as_raw(), plan: self.plan.clone() }
            }

            /// The shape in elements, dimension 0 first.
            #[must_use]
            pub fn shape(&self) -> &[usize] {
                self.plan.shape()
            }

            /// The descriptor in the file, or the one that a save would write.
            #[must_use]
            pub fn descriptor(&self) -> &$crate::descriptor::TensorDescriptor {
                self.tensor.descriptor()
            }

            /// The bytes of each buffer, in the order of the buffer table.
            pub(crate) fn buffers(&self) -> impl Iterator<Item = &[u8]> {
                self.tensor.buffers()
            }

            /// A tensor made here, checked as one from a file is, its indices at once.
            fn made(tensor: $crate::view::raw::SharedTensor) -> Result<Self, $crate::error::TensorError> {
                tensor.descriptor().check_as_built()?;
                let raw = tensor.as_raw();
                let plan = $plan::of(&raw)?;
                raw.check_indices()?;
                drop(raw);
                Ok(Self { tensor, plan })
            }
        }

        impl $($twin_generics)* From<$twin $($twin_args)*> for $crate::view::DynTensor {
            fn from(twin: $twin $($twin_args)*) -> Self {
                Self::of_shared(twin.tensor)
            }
        }

        impl $($view_generics)* $crate::view::twin::View<'a> for $view $($view_args)* {
            type Twin = $twin $($twin_args)*;

            fn from_raw(raw: $crate::view::raw::RawTensor<'a>) -> Result<Self, $crate::error::TensorError> {
                let plan = $plan::of(&raw)?;
                Ok(Self { raw, plan })
            }

            fn raw(&self) -> &$crate::view::raw::RawTensor<'a> {
                &self.raw
            }

            fn to_twin(&self, share: &dyn Fn(&'a [u8]) -> $crate::view::bytes::SharedBytes) -> Self::Twin {
                $twin { tensor: self.raw.share(share), plan: self.plan.clone() }
            }
        }
    };
}

pub(crate) use views;
