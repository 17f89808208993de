//! Views: tensors as borrowed memory, and their `'static` twins.

mod entry;
mod shape;
mod strides;
mod tensor;
mod tensor_view;

pub use shape::Shape;
pub use tensor::Tensor;
pub use tensor_view::{Iter, TensorView};

pub(crate) use strides::Strides;
pub(crate) use tensor::SharedMemory;
