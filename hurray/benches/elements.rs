//! Reading elements one by one and all at once, against the loop that one would write by hand, or `memcpy`, in the
//! same run. Figures are ratios of minima, contenders take turns.
//!
//! `cargo bench -p hurray --bench elements [-- PART OF A LINE'S NAME [ROUNDS]]`
//!
//! What is added up is the bits of each element as an integer: adding floats would take longer than finding them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use hurray::descriptor::{KvRole, ScaleType};
use hurray::{
    BlockPaged, Bool, Coo, Csc, Csf, Csr, Element, ElementType, Hilbert, I4, Morton, Overlay, Packed,
    PackedElement, Partition, QuantizedTensor, Symmetry, Tensor, TensorView, Tiled,
};

/// A number that stands for an element.
trait Bits: Copy {
    fn bits(self) -> u32;
}

impl Bits for f32 {
    #[inline]
    fn bits(self) -> u32 {
        self.to_bits()
    }
}

impl Bits for u8 {
    #[inline]
    fn bits(self) -> u32 {
        self.into()
    }
}

impl Bits for i8 {
    #[inline]
    fn bits(self) -> u32 {
        self.cast_unsigned().into()
    }
}

impl Bits for bool {
    #[inline]
    fn bits(self) -> u32 {
        self.into()
    }
}

/// Which lines are wanted, and how often each contender runs.
struct Bench {
    wanted: String,
    rounds: usize,
}

type Contender<'c> = (&'static str, Box<dyn FnMut() -> u32 + 'c>);

impl Bench {
    fn of_arguments() -> Self {
        let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
        let wanted = arguments.next().unwrap_or_default();
        let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
        Self { wanted, rounds }
    }

    /// The first contender is what the others are measured by. A contender that has a name of its own in what is
    /// wanted, after a colon, runs alone.
    fn line<'c>(&self, name: &str, elements: usize, contenders: impl FnOnce() -> Vec<Contender<'c>>) {
        let (wanted, only) = self.wanted.split_once(':').unwrap_or((&self.wanted, ""));
        if !name.contains(wanted) {
            return;
        }
        let mut contenders = contenders();
        contenders.retain(|(what, _)| only.is_empty() || *what == only);
        let mut best = vec![Duration::MAX; contenders.len()];
        for _ in 0..self.rounds {
            for ((_, run), best) in contenders.iter_mut().zip(&mut best) {
                let start = Instant::now();
                black_box(run());
                *best = start.elapsed().min(*best);
            }
        }
        let Some(by_hand) = best.first().copied() else { return };
        print!("{name:40}");
        for ((what, _), time) in contenders.iter().zip(&best) {
            let each = time.as_secs_f64() * 1e9 / elements as f64;
            print!("  {what} {each:.2} ns");
            if time != &by_hand {
                print!(" ({:.2} x)", time.as_secs_f64() / by_hand.as_secs_f64());
            }
        }
        println!();
    }
}

/// Calls `visit` with every index of a shape of up to four dimensions, as nested loops do.
#[inline(always)]
fn each(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    match *shape {
        [a] => (0..a).for_each(|i| visit(&[i])),
        [a, b] => (0..a).for_each(|i| (0..b).for_each(|j| visit(&[i, j]))),
        [a, b, c] => (0..a).for_each(|i| (0..b).for_each(|j| (0..c).for_each(|k| visit(&[i, j, k])))),
        [a, b, c, d] => (0..a).for_each(|i| {
            (0..b).for_each(|j| (0..c).for_each(|k| (0..d).for_each(|l| visit(&[i, j, k, l]))));
        }),
        _ => visit(&[]),
    }
}

/// What one would write by hand: nested loops, the innermost over a slice where that works.
fn by_hand<T: Bits>(data: &[T], at: isize, shape: &[usize], strides: &[isize]) -> u32 {
    let mut sum = 0_u32;
    match (shape, strides) {
        ([count], [1]) => {
            for element in &data[at as usize..][..*count] {
                sum = sum.wrapping_add(element.bits());
            }
        }
        ([count], [stride]) => {
            for i in 0..*count {
                sum = sum.wrapping_add(data[(at + i as isize * stride) as usize].bits());
            }
        }
        ([count, shape @ ..], [stride, strides @ ..]) => {
            for i in 0..*count {
                sum = sum.wrapping_add(by_hand(data, at + i as isize * stride, shape, strides));
            }
        }
        _ => sum = data[at as usize].bits(),
    }
    sum
}

fn total(values: impl Iterator<Item = impl Bits>) -> u32 {
    values.fold(0, |sum, value| sum.wrapping_add(value.bits()))
}

/// By `next`, which `for` takes.
fn one_by_one(values: impl Iterator<Item = impl Bits>) -> u32 {
    let mut sum = 0_u32;
    for value in values {
        sum = sum.wrapping_add(value.bits());
    }
    sum
}

fn row_major(shape: &[usize]) -> Vec<isize> {
    (0..shape.len()).map(|axis| shape[axis + 1..].iter().product::<usize>() as isize).collect()
}

fn column_major(shape: &[usize]) -> Vec<isize> {
    (0..shape.len()).map(|axis| shape[..axis].iter().product::<usize>() as isize).collect()
}

/// Views of each kind over `data`, which has the elements of `shape`, with their origins.
fn views<'a, T: Element>(data: &'a [T], shape: &[usize]) -> Vec<(&'static str, usize, TensorView<'a, T>)> {
    let packed = TensorView::from_slice(data, shape).unwrap();
    let strides = row_major(shape);
    let (last, inner) = (shape.len() - 1, shape[shape.len() - 1]);
    let mut all = vec![("contiguous", 0, packed)];
    let rows = (shape[0] - 1, strides[0] as usize);
    all.push(("rows", rows.1, packed.slice(1..rows.0).unwrap()));
    let mut reversed = strides.clone();
    reversed[last] = -1;
    let origin = inner - 1;
    all.push(("reversed", origin, TensorView::from_strided(data, origin, shape, &reversed).unwrap()));
    let mut broadcast = strides.clone();
    broadcast[0] = 0;
    all.push(("broadcast", 0, TensorView::from_strided(data, 0, shape, &broadcast).unwrap()));
    if last > 0 {
        let columns = column_major(shape);
        all.push(("column-major", 0, TensorView::from_strided(data, 0, shape, &columns).unwrap()));
        all.push(("inner narrow", 1, packed.narrow(last, 1, inner - 2).unwrap()));
        broadcast = strides;
        broadcast[last] = 0;
        all.push(("inner broadcast", 0, TensorView::from_strided(data, 0, shape, &broadcast).unwrap()));
    }
    all
}

fn strided<T: Element + Bits>(bench: &Bench, name: &str, of: impl Fn(usize) -> T) {
    for shape in [&[1 << 16][..], &[256, 256], &[64, 32, 32], &[16, 16, 16, 16]] {
        let data: Vec<T> = (0..shape.iter().product()).map(&of).collect();
        for (kind, origin, view) in views(&data, shape) {
            let line = format!("read {name} {kind} {:?}", view.shape());
            bench.line(&line, view.len(), || {
                vec![
                    (
                        "by hand",
                        Box::new(|| {
                            by_hand(black_box(&data), origin as isize, view.shape(), &view.strides())
                        }),
                    ),
                    (
                        "get",
                        Box::new(|| {
                            let view = black_box(view);
                            let mut sum = 0_u32;
                            each(view.shape(), |at| sum = sum.wrapping_add(view.get(at).unwrap().bits()));
                            sum
                        }),
                    ),
                    ("iter", Box::new(|| one_by_one(black_box(view).iter()))),
                    ("fold", Box::new(|| total(black_box(view).iter()))),
                ]
            });
        }
    }
    for shape in
        [&[1 << 22][..], &[2048, 2048], &[128, 128, 256], &[64, 64, 32, 32], &[1 << 20, 4], &[4, 1 << 20]]
    {
        let data: Vec<T> = (0..shape.iter().product()).map(&of).collect();
        for (kind, _, view) in views(&data, shape) {
            let len = view.len();
            bench.line(&format!("copy {name} {kind} {:?}", view.shape()), len, || {
                vec![
                    ("memcpy", Box::new(|| taken(black_box(&data)[..len].to_vec()))),
                    ("to_vec", Box::new(|| taken(black_box(view).to_vec()))),
                ]
            });
        }
    }
}

/// All elements are there: the compiler can't leave any out.
fn taken<T>(values: Vec<T>) -> u32 {
    black_box(values).len() as u32
}

fn packed<P: PackedElement<Value: Bits>>(
    bench: &Bench,
    name: &str,
    values: &[P::Value],
    shape: &[usize],
    by_hand: impl Fn(&[u8]) -> u32,
) {
    let rows = Packed::<P>::from_values(values, shape).unwrap();
    let columns = Packed::<P>::from_values_column_major(values, shape).unwrap();
    for (kind, packed) in [("row-major", rows), ("column-major", columns)] {
        let view = packed.view();
        bench.line(&format!("read packed {name} {kind}"), values.len(), || {
            vec![
                ("by hand", Box::new(|| by_hand(view.as_bytes()))),
                (
                    "get",
                    Box::new(|| {
                        let mut sum = 0_u32;
                        each(shape, |at| sum = sum.wrapping_add(view.get(at).unwrap().bits()));
                        sum
                    }),
                ),
                ("iter", Box::new(|| one_by_one(view.iter()))),
                ("fold", Box::new(|| total(view.iter()))),
            ]
        });
        bench.line(&format!("copy packed {name} {kind}"), values.len(), || {
            vec![
                ("memcpy", Box::new(|| taken(values.to_vec()))),
                ("to_dense", Box::new(|| taken(view.to_dense().unwrap()))),
            ]
        });
    }
}

/// Every element by its index, and all at once.
fn layout<'c>(
    bench: &Bench,
    name: &str,
    dense: &'c [f32],
    shape: &'c [usize],
    get: impl Fn(&[usize]) -> f32 + 'c,
    to_dense: impl Fn() -> Vec<f32> + 'c,
) {
    bench.line(&format!("read {name} {shape:?}"), dense.len(), || {
        vec![
            ("by hand", Box::new(|| by_hand(black_box(dense), 0, shape, &row_major(shape)))),
            (
                "get",
                Box::new(move || {
                    let mut sum = 0_u32;
                    each(shape, |at| sum = sum.wrapping_add(get(at).bits()));
                    sum
                }),
            ),
        ]
    });
    bench.line(&format!("copy {name} {shape:?}"), dense.len(), || {
        vec![
            ("memcpy", Box::new(|| taken(black_box(dense).to_vec()))),
            ("to_dense", Box::new(move || taken(to_dense()))),
        ]
    });
}

macro_rules! layout {
    ($bench:expr, $name:expr, $dense:expr, $shape:expr, $twin:expr) => {{
        let twin = $twin;
        let view = twin.view();
        layout($bench, $name, $dense, $shape, |at| view.get(at).unwrap(), || view.to_dense().unwrap());
    }};
}

fn dense_layouts(bench: &Bench, dense: &[f32]) {
    let (plane, cube): (&[usize], &[usize]) = (&[512, 512], &[64, 64, 64]);
    for shape in [plane, cube] {
        let tile = vec![16; shape.len()];
        layout!(bench, "tiled 16", dense, shape, Tiled::<f32>::from_dense(dense, shape, &tile).unwrap());
        let odd = vec![12; shape.len()];
        layout!(bench, "tiled 12", dense, shape, Tiled::<f32>::from_dense(dense, shape, &odd).unwrap());
        layout!(bench, "morton", dense, shape, Morton::<f32>::from_dense(dense, shape).unwrap());
        layout!(bench, "hilbert", dense, shape, Hilbert::<f32>::from_dense(dense, shape).unwrap());
    }
}

fn sparse_layouts(bench: &Bench, dense: &[f32]) {
    let (plane, cube): (&[usize], &[usize]) = (&[512, 512], &[64, 64, 64]);
    for (percent, step) in [("1 %", 100), ("10 %", 10)] {
        let sparse: Vec<f32> =
            dense.iter().enumerate().map(|(i, v)| if i % step == 7 { *v } else { 0.0 }).collect();
        let sparse = sparse.as_slice();
        let named = |name: &str| format!("{name} at {percent}");
        for shape in [plane, cube] {
            layout!(bench, &named("coo"), sparse, shape, Coo::<f32>::from_dense(sparse, shape).unwrap());
        }
        layout!(bench, &named("csr"), sparse, plane, Csr::<f32>::from_dense(sparse, plane).unwrap());
        layout!(bench, &named("csc"), sparse, plane, Csc::<f32>::from_dense(sparse, plane).unwrap());
        layout!(bench, &named("csf"), sparse, cube, Csf::<f32>::from_dense(sparse, cube).unwrap());
    }
}

fn quantized_layouts(bench: &Bench, dense: &[f32]) {
    let shape: &[usize] = &[512, 512];
    let (int8, int4) = (ElementType::Int8, ElementType::Int4);
    let (even, asymmetric) = (Symmetry::Symmetric, Symmetry::Asymmetric);
    let schemes = [
        ("per-tensor int8", QuantizedTensor::quantize_per_tensor(dense, shape, int8, even)),
        ("per-channel int8, rows", QuantizedTensor::quantize_per_channel(dense, shape, int8, 0, asymmetric)),
        (
            "per-channel int8, columns",
            QuantizedTensor::quantize_per_channel(dense, shape, int8, 1, asymmetric),
        ),
        (
            "per-block int4 of 32",
            QuantizedTensor::quantize_per_block(dense, shape, int4, (1, 32), ScaleType::Float16, asymmetric),
        ),
        (
            "per-block int4 of 32, columns",
            QuantizedTensor::quantize_per_block(dense, shape, int4, (0, 32), ScaleType::Float16, asymmetric),
        ),
        ("nf4 of 64", QuantizedTensor::quantize_nf4(dense, shape, 1, 64)),
        ("mxfp4", QuantizedTensor::quantize_mxfp(dense, shape, ElementType::Float4E2M1, 1, 32)),
    ];
    for (name, quantized) in &schemes {
        let view = quantized.as_ref().unwrap().view();
        layout(bench, name, dense, shape, |at| view.get(at).unwrap(), || view.dequantize().unwrap());
    }
}

/// 64 sequences of four pages with 16 tokens each.
fn paged(bench: &Bench, dense: &[f32]) {
    let sequences: Vec<&[f32]> = dense.chunks(4096).collect();
    let paged = BlockPaged::<f32>::from_sequences(&sequences, 8, 8, 16, KvRole::Key).unwrap();
    layout!(bench, "block-paged", dense, &[4096, 8, 8], paged);
}

fn wholes(bench: &Bench, dense: &[f32]) {
    let shape: &[usize] = &[512, 512];
    let tensor = || Tensor::from_vec(dense.to_vec(), shape).unwrap();
    for (name, axis) in [("partition of 8, rows", 0), ("partition of 8, columns", 1)] {
        layout!(bench, name, dense, shape, Partition::split(&tensor(), axis, 8).unwrap());
    }
    let patch = || Tensor::from_vec(dense[..64 * 64].to_vec(), &[64, 64]).unwrap();
    let replaced = Overlay::new(tensor()).replace(&[100, 100], patch()).unwrap();
    layout!(bench, "overlay, replace", dense, shape, replaced);
    let added = Overlay::new(tensor()).add(&[100, 100], patch()).unwrap();
    layout!(bench, "overlay, add", dense, shape, added);
}

fn main() {
    let bench = Bench::of_arguments();
    let number = |i: usize| ((i * 31) % 4093) as f32 - 2000.0;
    strided(&bench, "f32", number);
    strided(&bench, "u8", |i| (i % 251) as u8);

    let bools: Vec<bool> = (0..512 * 512).map(|i| i % 3 == 0).collect();
    packed::<Bool>(&bench, "bool", &bools, &[512, 512], |bytes| {
        (0..512 * 512).fold(0, |sum, i| sum + u32::from(bytes[i / 8] >> (i % 8) & 1))
    });
    let fours: Vec<i8> = (0..512 * 512).map(|i| (i % 16) as i8 - 8).collect();
    packed::<I4>(&bench, "int4", &fours, &[512, 512], |bytes| {
        (0..512 * 512).fold(0_u32, |sum, i| {
            let code = (bytes[i / 2] >> (i % 2 * 4)) << 4;
            sum.wrapping_add((code.cast_signed() >> 4).bits())
        })
    });

    let dense: Vec<f32> = (0..512 * 512).map(number).collect();
    dense_layouts(&bench, &dense);
    sparse_layouts(&bench, &dense);
    quantized_layouts(&bench, &dense);
    paged(&bench, &dense);
    wholes(&bench, &dense);
}
