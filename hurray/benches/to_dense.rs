//! `to_dense` and `dequantize` with 64 MiB of output, against `memcpy` of that output in the same run.
//!
//! `cargo bench -p hurray --bench to_dense`

use std::hint::black_box;
use std::time::{Duration, Instant};

use hurray::descriptor::ScaleType;
use hurray::{Bool, Csr, ElementType, Morton, Packed, QuantizedTensor, Symmetry, Tiled};

const SIDE: usize = 4096;
const SHAPE: [usize; 2] = [SIDE, SIDE];

/// The fastest of some runs.
fn best<R>(mut run: impl FnMut() -> R) -> Duration {
    (0..7)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn report(what: &str, memcpy: Duration, allowed: f64, time: Duration) {
    let ratio = time.as_secs_f64() / memcpy.as_secs_f64();
    let verdict = if ratio <= allowed { "" } else { "  MISSED" };
    println!("{what:28} {:8.1} ms  {ratio:5.2} x memcpy, aim {allowed}{verdict}", time.as_secs_f64() * 1e3);
}

fn main() {
    let values: Vec<f32> = (0..SIDE * SIDE).map(|i| ((i * 31) % 4093) as f32 - 2000.0).collect();
    let memcpy = best(|| values.clone());
    println!("memcpy of 64 MiB             {:8.1} ms", memcpy.as_secs_f64() * 1e3);

    let tiled = Tiled::<f32>::from_dense(&values, &SHAPE, &[32, 32]).unwrap();
    report("tiled 32 x 32", memcpy, 3.0, best(|| tiled.view().to_dense().unwrap()));
    let morton = Morton::<f32>::from_dense(&values, &SHAPE).unwrap();
    report("morton", memcpy, 8.0, best(|| morton.view().to_dense().unwrap()));
    let sparse: Vec<f32> =
        values.iter().enumerate().map(|(i, v)| if i % 100 == 7 { *v } else { 0.0 }).collect();
    let csr = Csr::<f32>::from_dense(&sparse, &SHAPE).unwrap();
    report("csr at 1 %", memcpy, 2.0, best(|| csr.view().to_dense().unwrap()));
    let int4 = QuantizedTensor::quantize_per_block(
        &values,
        &SHAPE,
        ElementType::Int4,
        (1, 128),
        ScaleType::Float16,
        Symmetry::Asymmetric,
    )
    .unwrap();
    report("per-block int4 to f32", memcpy, 3.0, best(|| int4.view().dequantize().unwrap()));
    let bools: Vec<bool> = (0..64 << 20).map(|i| i % 3 == 0).collect();
    let packed = Packed::<Bool>::from_values(&bools, &[bools.len()]).unwrap();
    report("bool to bytes", memcpy, 3.0, best(|| packed.view().to_dense().unwrap()));
}
