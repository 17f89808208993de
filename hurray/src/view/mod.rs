//! Views: tensors as borrowed memory, and their `'static` twins.

mod shape;
mod strides;
mod tensor;
mod tensor_view;

pub use shape::Shape;
pub use tensor::Tensor;
pub use tensor_view::{Iter, TensorView};

pub(crate) use strides::Strides;
