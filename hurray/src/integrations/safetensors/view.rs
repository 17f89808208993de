//! Tensors of an open safetensors file as views.

use super::dtype::element_type_of;
use crate::element::{Element, ElementType};
use crate::error::TensorError;
use crate::view::TensorView;

/// Without a copy: for models whose views borrow from a safetensors file. Fails with
/// [`TensorError::ElementType`] for another type, [`TensorError::RankTooHigh`] above rank 8, and
/// [`TensorError::Misaligned`] where the bytes do not start where the element type needs: safetensors aligns the
/// data to 8 bytes at best, if the whole file starts at such an address.
///
/// ```
/// use hurray::TensorView;
/// use safetensors::SafeTensors;
/// use safetensors::tensor::{Dtype, TensorView as View, serialize};
///
/// let data = [0, 0, 128, 63];
/// let bytes = serialize([("w", View::new(Dtype::F32, vec![1], &data)?)], None)?;
/// let tensors = SafeTensors::deserialize(&bytes)?;
/// let weight: TensorView<'_, f32> = tensors.tensor("w")?.try_into()?;
/// assert_eq!(weight.as_slice(), Some(&[1.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<'a, T: Element> TryFrom<::safetensors::tensor::TensorView<'a>> for TensorView<'a, T> {
    type Error = TensorError;

    fn try_from(tensor: ::safetensors::tensor::TensorView<'a>) -> Result<Self, TensorError> {
        let found = element_type_of(tensor.dtype()).unwrap_or(ElementType::Unknown(0));
        if found != T::TYPE {
            return Err(TensorError::element_type(T::TYPE, found));
        }
        let bytes: &'a [u8] = tensor.data();
        let data = bytemuck::try_cast_slice(bytes).map_err(|_| {
            let have = 1usize.checked_shl(bytes.as_ptr().addr().trailing_zeros()).unwrap_or(1);
            TensorError::misaligned(align_of::<T>(), have)
        })?;
        TensorView::from_slice(data, tensor.shape())
    }
}
