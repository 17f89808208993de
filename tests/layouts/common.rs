//! Element types, random shapes and values, and the comparison that all kinds share.

use std::fmt::Debug;
use std::ops::RangeInclusive;

use hurray::{Bool, Complex64, F6E2M3, File, HurrayLoad, HurraySave, I4, Limits, Scalar, Stored};
use proptest::prelude::*;

use super::reference;

/// A model of one tensor.
#[derive(HurraySave, HurrayLoad, Debug)]
pub(crate) struct One<V> {
    pub(crate) tensor: V,
}

/// Saves a tensor, maps the file, and hands it to `check`.
pub(crate) fn through_a_file<V: HurraySave>(tensor: V, check: impl FnOnce(&File)) {
    model_through_a_file(&One { tensor }, check);
}

/// Saves a model with a field `tensor`, maps the file, and hands it to `check`.
pub(crate) fn model_through_a_file(model: &impl HurraySave, check: impl FnOnce(&File)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tensor.hrry");
    hurray::SaveOptions::new().sync(false).save(&path, model).unwrap();
    // SAFETY: the file lies in a folder of its own, and nobody changes it.
    let file = unsafe { File::map(&path) }.unwrap();
    assert_eq!((file.validate_structure(), file.validate_data()), (vec![], vec![]));
    check(&file);
}

/// All indices of a shape in row-major order.
pub(crate) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &dim| {
        all.iter().flat_map(|index| (0..dim).map(move |at| [index.as_slice(), &[at]].concat())).collect()
    })
}

/// An element type, with its values by the formulas of FORMAT §4.3.
pub(crate) trait Sample: Stored {
    /// The value of a bit pattern.
    fn of(pattern: u64) -> Self::Value;

    /// The same for the same bits: tells -0 from 0, and takes NaN for NaN.
    fn key(value: Self::Value) -> u64;

    /// A value of a random number: any pattern but -0, which a sparse tensor takes for nothing.
    fn sample(seed: u64) -> Self::Value {
        Self::of(seed)
    }
}

impl Sample for i32 {
    fn of(pattern: u64) -> i32 {
        pattern as u32 as i32
    }

    fn key(value: i32) -> u64 {
        value as u64
    }
}

impl Sample for Complex64 {
    fn of(pattern: u64) -> Complex64 {
        Complex64 { re: f32::from_bits(pattern as u32), im: f32::from_bits((pattern >> 32) as u32) }
    }

    fn key(value: Complex64) -> u64 {
        u64::from(value.re.to_bits()) | u64::from(value.im.to_bits()) << 32
    }

    fn sample(seed: u64) -> Complex64 {
        Complex64 { re: seed as u16 as f32, im: (seed >> 16) as u16 as f32 }
    }
}

impl Sample for Bool {
    fn of(pattern: u64) -> bool {
        pattern & 1 == 1
    }

    fn key(value: bool) -> u64 {
        value.into()
    }
}

impl Sample for I4 {
    fn of(pattern: u64) -> i8 {
        let pattern = (pattern & 15) as i8;
        if pattern < 8 { pattern } else { pattern - 16 }
    }

    fn key(value: i8) -> u64 {
        value as u64
    }
}

impl Sample for F6E2M3 {
    fn of(pattern: u64) -> f32 {
        let (sign, exponent, mantissa) = (pattern >> 5 & 1, pattern >> 3 & 3, (pattern & 7) as f32);
        let magnitude = match exponent {
            0 => mantissa / 8.0,
            _ => (1.0 + mantissa / 8.0) * 2f32.powi(exponent as i32 - 1),
        };
        if sign == 1 { -magnitude } else { magnitude }
    }

    fn key(value: f32) -> u64 {
        value.to_bits().into()
    }

    fn sample(seed: u64) -> f32 {
        Self::of(if seed & 63 == 32 { 0 } else { seed })
    }
}

pub(crate) fn values<T: Sample>(seeds: &[u64]) -> Vec<T::Value> {
    seeds.iter().map(|seed| T::sample(*seed)).collect()
}

/// A shape, and one number per element, about half of them 0.
pub(crate) fn shaped(rank: RangeInclusive<usize>) -> impl Strategy<Value = (Vec<usize>, Vec<u64>)> {
    prop::collection::vec(0usize..5, rank).prop_flat_map(|shape| {
        let count = shape.iter().product::<usize>();
        let seed = prop_oneof![Just(0u64), any::<u64>()];
        (Just(shape), prop::collection::vec(seed, count))
    })
}

/// Holds a view of the tensor of a file against its source: element by element, as a whole, and with what the
/// reference finds in the bytes. Absent elements are 0; outside the shape there are none.
pub(crate) fn compare<T: Sample>(
    file: &File,
    (shape, source): (&[usize], &[T::Value]),
    tokens: &[usize],
    get: impl Fn(&[usize]) -> Option<T::Value>,
    dense: &[T::Value],
) {
    let keys = |values: &[T::Value]| values.iter().map(|value| T::key(*value)).collect::<Vec<_>>();
    assert_eq!(keys(dense), keys(source), "as a whole");
    let entry = file.tensor("tensor").unwrap();
    let (descriptor, buffers) = (entry.descriptor().unwrap(), entry.buffers().unwrap());
    for (index, source) in indices(shape).iter().zip(source) {
        let there = reference::pattern(&descriptor, &buffers, tokens, index).unwrap_or(0);
        let got = get(index).unwrap_or_else(|| panic!("nothing at {index:?}"));
        assert_eq!(T::key(got), T::key(*source), "{index:?} as it was");
        assert_eq!(T::key(got), T::key(T::of(there)), "{index:?} as it lies in the file");
    }
    for axis in 0..shape.len() {
        let mut outside = vec![0; shape.len()];
        outside[axis] = shape[axis];
        assert!(get(&outside).is_none(), "{outside:?}");
    }
    assert!(get(&vec![0; shape.len() + 1]).is_none());
    if tokens.is_empty() {
        let scalars = entry.values(&Limits::default()).unwrap();
        assert_eq!(scalars.len(), source.len());
        for (scalar, source) in scalars.iter().zip(source) {
            assert_eq!(scalar_key(&scalar), T::key(*source));
        }
    }
}

fn scalar_key(scalar: &Scalar) -> u64 {
    match *scalar {
        Scalar::Bool(value) => value.into(),
        Scalar::Int(value) => value as u64,
        Scalar::UInt(value) => value,
        Scalar::Float { value, .. } => (value as f32).to_bits().into(),
        Scalar::Complex { re, im } => Complex64::key(Complex64 { re: re as f32, im: im as f32 }),
        ref other => panic!("no test has {other:?}"),
    }
}

/// One test for whole-byte elements of two widths, and for packed elements of one, four and six bits.
macro_rules! for_every_element {
    ($test:ident($($argument:expr),* $(,)?)) => {
        $test::<i32>($($argument),*);
        $test::<hurray::Complex64>($($argument),*);
        $test::<hurray::Bool>($($argument),*);
        $test::<hurray::I4>($($argument),*);
        $test::<hurray::F6E2M3>($($argument),*);
    };
}
pub(crate) use for_every_element;
