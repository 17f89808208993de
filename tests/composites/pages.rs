//! Loading one part of a tensor touches the pages of that part.

use std::fs;
use std::io::{Read, Seek, SeekFrom};

use hurray::{File, HurrayLoad, HurraySave, LoadOptions, Tensor, TensorView};

#[derive(HurraySave)]
struct Whole {
    #[hurray(partition(axis = 0, parts = 8))]
    w: Tensor<f32>,
}

#[derive(HurrayLoad)]
struct Part<'a> {
    #[hurray(partition(axis = 0))]
    w: TensorView<'a, f32>,
}

const PAGE: usize = 4096;

/// How many pages of a stretch of memory this process has in its page table.
fn present(bytes: &[u8]) -> usize {
    let first = bytes.as_ptr().addr().div_ceil(PAGE);
    let end = (bytes.as_ptr().addr() + bytes.len()) / PAGE;
    let mut pagemap = fs::File::open("/proc/self/pagemap").unwrap();
    pagemap.seek(SeekFrom::Start(u64::try_from(first * 8).unwrap())).unwrap();
    let mut entries = vec![0; (end - first) * 8];
    pagemap.read_exact(&mut entries).unwrap();
    entries.chunks_exact(8).filter(|entry| entry[7] >> 7 == 1).count()
}

/// The kernel maps cached neighbours along with a page that is touched: up to a huge page of them.
const AROUND: usize = 2 << 20;

fn touches_one_part_only(mebibytes: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.hrry");
    let rows = mebibytes << 8;
    let w = Tensor::from_vec(vec![1.0_f32; rows << 10], &[rows, 1024]).unwrap();
    hurray::save(&path, &Whole { w }).unwrap();

    // SAFETY: nobody changes the file in this test.
    let file = unsafe { File::map(&path).unwrap() };
    let (part, _) = file.load_with::<Part<'_>>(&LoadOptions::new().rank(3, 8)).unwrap();
    let sum: f64 = part.w.as_slice().unwrap().iter().map(|&value| f64::from(value)).sum();
    assert_eq!(sum, f64::from(u32::try_from((rows << 10) / 8).unwrap()));
    for other in 0..8 {
        // Only now, so that looking for the buffer does not touch anything before it is counted.
        let own = bytemuck::cast_slice::<f32, u8>(part.w.as_slice().unwrap());
        let bytes = if other == 3 { own } else { file.tensor(&format!("w.{other}")).unwrap().raw_data() };
        let inside = &bytes[AROUND..bytes.len() - AROUND];
        let (found, all) = (present(inside), inside.len() / PAGE);
        assert!(
            if other == 3 { found >= all - 1 } else { found == 0 },
            "part {other}: {found} of {all} pages"
        );
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads /proc/self/pagemap")]
fn a_rank_touches_no_page_of_the_other_parts() {
    touches_one_part_only(64);
}

#[test]
#[ignore = "writes 1 GiB"]
fn a_rank_touches_no_page_of_the_other_parts_of_a_large_tensor() {
    touches_one_part_only(1024);
}
