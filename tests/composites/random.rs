//! Random shapes, boxes and layouts, from a seed.

use hurray::{Coo, Csc, Csr, DynTensor, Hilbert, Morton, Tensor, Tiled};

/// Numbers that look random, the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    /// Rank 1 to 3, with dimensions of 1 to 8.
    pub(crate) fn shape(&mut self) -> Vec<usize> {
        (0..1 + self.below(3)).map(|_| 1 + self.below(8)).collect()
    }

    /// Small numbers, many of them zero.
    pub(crate) fn values(&mut self, count: usize) -> Vec<i32> {
        (0..count)
            .map(|_| [0, i32::try_from(self.below(1000)).unwrap() - 500][self.below(3).min(1)])
            .collect()
    }

    /// A box inside a shape, as offset and shape.
    pub(crate) fn part(&mut self, shape: &[usize]) -> (Vec<usize>, Vec<usize>) {
        shape
            .iter()
            .map(|&size| {
                let offset = self.below(size);
                (offset, 1 + self.below(size - offset))
            })
            .unzip()
    }

    /// Disjoint boxes that cover a shape: split in two at random again and again, shuffled.
    pub(crate) fn cover(&mut self, shape: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut boxes = vec![(vec![0; shape.len()], shape.to_vec())];
        for _ in 0..self.below(9) {
            let at = self.below(boxes.len());
            let axis = self.below(shape.len());
            let size = boxes[at].1[axis];
            if size > 1 {
                let low = 1 + self.below(size - 1);
                let mut high = boxes[at].clone();
                high.0[axis] += low;
                high.1[axis] -= low;
                boxes[at].1[axis] = low;
                boxes.push(high);
            }
        }
        for at in (1..boxes.len()).rev() {
            boxes.swap(at, self.below(at + 1));
        }
        boxes
    }

    /// The values in a layout that can show them.
    pub(crate) fn laid_out(&mut self, values: &[i32], shape: &[usize]) -> DynTensor {
        let is_square = shape.len() > 1 && shape[0].is_power_of_two() && shape[0] > 1;
        match self.below(7) {
            0 => Coo::<i32>::from_dense(values, shape).unwrap().into(),
            1 if shape.len() == 2 => Csr::<i32>::from_dense(values, shape).unwrap().into(),
            2 if shape.len() == 2 => Csc::<i32>::from_dense(values, shape).unwrap().into(),
            3 => Tiled::<i32>::from_dense(values, shape, &vec![2; shape.len()]).unwrap().into(),
            4 => Morton::<i32>::from_dense(values, shape).unwrap().into(),
            5 if is_square && shape.iter().all(|size| *size == shape[0]) => {
                Hilbert::<i32>::from_dense(values, shape).unwrap().into()
            }
            _ => Tensor::from_vec(values.to_vec(), shape).unwrap().into(),
        }
    }
}

/// Every index of a shape, in row-major order.
pub(crate) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &size in shape {
        all = all.iter().flat_map(|index| (0..size).map(|at| [index.as_slice(), &[at]].concat())).collect();
    }
    all
}

/// The position of an index in row-major order.
pub(crate) fn position(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |at, (index, size)| at * size + index)
}

/// The values of a box, in row-major order.
pub(crate) fn cut<T: Copy>(values: &[T], shape: &[usize], offset: &[usize], part: &[usize]) -> Vec<T> {
    let shifted =
        |index: Vec<usize>| -> Vec<usize> { index.iter().zip(offset).map(|(at, by)| at + by).collect() };
    indices(part).into_iter().map(|index| values[position(&shifted(index), shape)]).collect()
}
