use half::{bf16, f16};
use hurray::{
    Bool, Coo, DynTensor, ElementType, File, HurrayLoad, HurraySave, Overlay, OverlayView, Packed,
    QuantizedTensor, Symmetry, Tensor, TensorError,
};

use crate::random::{Random, cut, indices, position};

#[derive(HurraySave, HurrayLoad)]
struct Owned<T: hurray::Element> {
    w: Overlay<T>,
}

#[derive(HurraySave, HurrayLoad)]
struct Borrowed<'a, T: hurray::Element> {
    w: OverlayView<'a, T>,
}

/// Offset and shape of a correction, and its values; `None` where it stores nothing.
type Correction<T> = (Vec<usize>, Vec<usize>, Vec<Option<T>>);

/// As the format says it, element by element.
fn reference<T: Copy>(
    base: &[T],
    shape: &[usize],
    corrections: &[Correction<T>],
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let value = |index: Vec<usize>| {
        let mut value = base[position(&index, shape)];
        for (offset, part, values) in corrections {
            let local: Option<Vec<usize>> =
                index.iter().zip(offset).map(|(at, offset)| at.checked_sub(*offset)).collect();
            let inside = local.filter(|local| local.iter().zip(part).all(|(at, size)| at < size));
            if let Some(more) = inside.and_then(|local| values[position(&local, part)]) {
                value = combine(value, more);
            }
        }
        value
    };
    indices(shape).into_iter().map(value).collect()
}

fn check<T: hurray::Element + Copy>(seed: u64, of: impl Fn(i32) -> T, sum: Option<fn(T, T) -> T>) {
    let mut random = Random::new(seed);
    let shape = random.shape();
    let count = shape.iter().product();
    let base: Vec<T> = random.values(count).into_iter().map(&of).collect();
    let mut corrections = Vec::new();
    let mut members: Vec<(Vec<usize>, DynTensor)> = Vec::new();
    for _ in 0..random.below(6) {
        let (offset, part) = random.part(&shape);
        let values: Vec<T> = random.values(part.iter().product()).into_iter().map(&of).collect();
        let stored: Vec<Option<T>>;
        if random.below(2) == 0 {
            stored = values.iter().map(|value| (random.below(3) == 0).then_some(*value)).collect();
            let entries = indices(&part).into_iter().zip(&stored);
            let (at, kept): (Vec<_>, Vec<_>) =
                entries.filter_map(|(at, value)| Some((at, (*value)?))).unzip();
            members.push((offset.clone(), Coo::<T>::from_parts(&part, &at, &kept).unwrap().into()));
        } else {
            stored = values.iter().copied().map(Some).collect();
            members.push((offset.clone(), Tensor::from_vec(values, &part).unwrap().into()));
        }
        corrections.push((offset, part, stored));
    }
    let bottom = Overlay::new(Tensor::from_vec(base.clone(), &shape).unwrap());
    let mut members = members.into_iter();
    let overlay = match members.next() {
        None => bottom.uncorrected(),
        Some((at, part)) if sum.is_some() => bottom.add(&at, part),
        Some((at, part)) => bottom.replace(&at, part),
    };
    let overlay = members.fold(overlay.unwrap(), |overlay, (at, part)| {
        if sum.is_some() { overlay.add(&at, part).unwrap() } else { overlay.replace(&at, part).unwrap() }
    });
    let expected = reference(&base, &shape, &corrections, sum.unwrap_or(|_, new| new));
    let assert_is = |view: &OverlayView<'_, T>| {
        assert_eq!(view.to_dense().unwrap(), expected, "seed {seed}");
        assert_eq!(view.correction_count(), corrections.len());
        for index in indices(&shape) {
            assert_eq!(
                view.get(&index).unwrap(),
                expected[position(&index, &shape)],
                "seed {seed} {index:?}"
            );
        }
        let middle = cut(&expected, &shape, &vec![0; shape.len()], &shape);
        assert_eq!(middle, expected);
    };
    assert_is(&overlay.view());
    let owned = Owned { w: overlay };
    let bytes = hurray::to_bytes(&owned).unwrap();
    let file = File::from_vec(bytes.clone()).unwrap();
    assert!(file.validate_structure().is_empty());
    let borrowed: Borrowed<'_, T> = file.load().unwrap();
    assert_is(&borrowed.w);
    assert_eq!(hurray::to_bytes(&borrowed).unwrap(), bytes);
    let loaded: Owned<T> = file.load().unwrap();
    drop(file);
    assert_is(&loaded.w.view());
}

#[test]
fn random_overlays_are_what_the_format_says() {
    for seed in 0..120 {
        check::<i32>(seed, |value| value, None);
        check::<i8>(seed, |value| value as i8, Some(i8::wrapping_add));
        check::<u64>(seed, |value| value as u64, Some(u64::wrapping_add));
        check::<f32>(seed, |value| value as f32 * 0.1, Some(|a, b| a + b));
        // Each step is rounded in the type of the whole.
        check::<f16>(
            seed,
            |value| f16::from_f32(value as f32 * 3.7),
            Some(|a, b| f16::from_f32(a.to_f32() + b.to_f32())),
        );
        check::<bf16>(
            seed,
            |value| bf16::from_f32(value as f32 * 3.7),
            Some(|a, b| bf16::from_f32(a.to_f32() + b.to_f32())),
        );
    }
}

#[test]
fn a_quantized_base_decodes_to_the_type_of_the_whole() {
    let real: Vec<f32> = (0..64).map(|at| at as f32 * 0.37 - 9.0).collect();
    let base =
        QuantizedTensor::quantize_per_channel(&real, &[8, 8], ElementType::Int8, 0, Symmetry::Asymmetric)
            .unwrap();
    let decoded: Vec<f64> = base.view().dequantize().unwrap().into_iter().map(f64::from).collect();
    let outliers = Coo::<f64>::from_parts(&[8, 8], &[[0, 1], [7, 7]], &[1e9, -1e9]).unwrap();
    let overlay: Overlay<f64> = Overlay::new(base.clone()).replace(&[0, 0], outliers.clone()).unwrap();
    let mut expected = decoded.clone();
    (expected[1], expected[63]) = (1e9, -1e9);
    assert_eq!(overlay.view().to_dense().unwrap(), expected);
    let sum: Overlay<f64> = Overlay::new(base).add(&[0, 0], outliers).unwrap();
    assert_eq!(sum.view().get(&[7, 7]).unwrap(), decoded[63] - 1e9);
    assert_eq!(sum.view().get(&[3, 3]).unwrap(), decoded[27]);
    let file = File::from_vec(hurray::to_bytes(&Owned { w: sum }).unwrap()).unwrap();
    assert_eq!(file.overlay::<f64>("w").unwrap().get(&[0, 1]).unwrap(), decoded[1] + 1e9);
}

#[test]
fn sums_of_bool_and_mixed_corrections_are_refused() {
    let bits = || Packed::<Bool>::from_values(&[true, false], &[2]).unwrap();
    assert!(matches!(Overlay::new(bits()).add(&[0], bits()), Err(TensorError::NotUnderstood { .. })));
    let replaced = Overlay::new(bits()).replace(&[0], bits()).unwrap();
    assert_eq!(replaced.view().to_dense().unwrap(), [true, false]);
    let number = || Tensor::from_vec(vec![1_u8, 2], &[2]).unwrap();
    let mixed = Overlay::new(number()).add(&[0], number()).unwrap().replace(&[0], number());
    assert!(matches!(mixed, Err(TensorError::Layout { .. })));
    assert!(Overlay::new(number()).add(&[1], number()).is_err(), "it reaches outside");
}
