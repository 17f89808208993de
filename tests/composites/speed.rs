//! Times that grow with the number of members, not with its square.

use std::time::{Duration, Instant};

use hurray::{File, HurrayLoad, HurraySave, Partition, PartitionView, Tensor};

#[derive(HurraySave)]
struct Saved {
    w: Partition<u8>,
}

#[derive(HurrayLoad)]
struct Loaded<'a> {
    w: PartitionView<'a, u8>,
}

fn grid(rows: usize, columns: usize) -> File {
    let parts = (0..rows * columns)
        .map(|at| ([at / columns, at % columns], Tensor::from_vec(vec![(at % 251) as u8], &[1, 1]).unwrap()));
    let w = Partition::from_parts(&[rows, columns], parts).unwrap();
    File::from_vec(hurray::to_bytes(&Saved { w }).unwrap()).unwrap()
}

#[test]
#[ignore = "a time: run in release"]
fn a_partition_of_100_000_members_is_checked_within_half_a_second() {
    let file = grid(400, 250);
    let start = Instant::now();
    assert_eq!(file.composites().unwrap().len(), 1);
    let checked = start.elapsed();
    let start = Instant::now();
    let Loaded { w } = file.load().unwrap();
    let loaded = start.elapsed();
    let start = Instant::now();
    assert_eq!(w.get(&[399, 249]).unwrap(), (99_999 % 251) as u8);
    let first = start.elapsed();
    let start = Instant::now();
    let sum: usize = (0..100_000).map(|at| usize::from(w.get(&[at * 7919 % 400, at % 250]).unwrap())).sum();
    println!(
        "checked in {checked:?}, loaded in {loaded:?}, first element in {first:?}, 100 000 more in {:?} (sum {sum})",
        start.elapsed()
    );
    assert!(checked <= Duration::from_millis(500), "{checked:?}");
}

#[test]
fn an_element_of_many_parts_is_found() {
    let file = grid(40, 50);
    let Loaded { w } = file.load().unwrap();
    for at in [0, 1, 49, 50, 1234, 1999] {
        assert_eq!(w.part_at(&[at / 50, at % 50]).unwrap(), at);
        assert_eq!(w.get(&[at / 50, at % 50]).unwrap(), (at % 251) as u8);
    }
}
