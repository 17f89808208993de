use super::validate_data;
use crate::descriptor::{BlockPaged, KvRole, Layout, Quantization, ScaleType, TensorDescriptor};
use crate::element::ElementType;
use crate::error::TensorError;
use crate::limits::Limits;
use crate::view::dense::describe;
use crate::view::raw::RawTensor;
use crate::view::values::logical_values;
use crate::view::{CsrView, View};

fn u64s(values: &[u64]) -> Vec<u8> {
    // Over-aligned, as buffers of a file are.
    bytemuck::cast_slice(values).to_vec()
}

/// The ids of the rules that the data break, with the file offset of each.
fn broken(descriptor: TensorDescriptor, buffers: &[Vec<u8>]) -> Vec<(&'static str, u64)> {
    let aligned: Vec<crate::bytes::AlignedBytes> =
        buffers.iter().map(|bytes| crate::bytes::AlignedBytes::copy_from(bytes)).collect();
    let offsets = (1..).map(|number| number * 4096).take(buffers.len());
    let raw = RawTensor::placed(
        "t",
        descriptor,
        aligned.iter().map(|bytes| bytes.as_slice()),
        offsets,
        &Limits::default(),
    );
    validate_data(&raw).iter().map(|error| (error.rule().id(), error.offset().unwrap())).collect()
}

fn csr(row_ptr: &[u64], columns: &[u64]) -> Vec<(&'static str, u64)> {
    let nnz = columns.len() as u64;
    let descriptor = describe(ElementType::UInt8, &[2, 3], Layout::Csr { nnz }, []);
    broken(descriptor, &[vec![1; columns.len()], u64s(columns), u64s(row_ptr)])
}

#[test]
fn compressed_rows() {
    assert_eq!(csr(&[0, 1, 2], &[2, 0]), []);
    assert_eq!(csr(&[1, 1, 2], &[2, 0]), [("LAY-CSR-04", 3 * 4096)]);
    assert_eq!(csr(&[0, 1, u64::MAX], &[2, 0]), [("LAY-CSR-04", 3 * 4096 + 16)]);
    assert_eq!(csr(&[0, 3, 2], &[2, 0]), [("LAY-CSR-05", 3 * 4096 + 16)]);
    assert_eq!(csr(&[0, 2, 2], &[2, 0]), [("LAY-CSR-06", 2 * 4096 + 8)]);
    assert_eq!(csr(&[0, 1, 2], &[2, 3]), [("LAY-CSR-07", 2 * 4096 + 8)]);
}

#[test]
fn coordinates() {
    let coo = |is_sorted: bool, coordinates: &[u64]| {
        let nnz = coordinates.len() as u64 / 2;
        let descriptor = describe(ElementType::UInt8, &[2, 3], Layout::Coo { nnz, is_sorted }, []);
        broken(descriptor, &[vec![1; nnz as usize], u64s(coordinates)])
    };
    assert_eq!(coo(false, &[1, 0, 0, 2]), []);
    assert_eq!(coo(false, &[1, 0, 0, 3]), [("LAY-COO-04", 2 * 4096 + 24)]);
    assert_eq!(coo(false, &[1, 0, 0, 2, 1, 0]), [("LAY-COO-05", 2 * 4096 + 32)]);
    assert_eq!(coo(true, &[1, 0, 1, 0]), [("LAY-COO-05", 2 * 4096 + 16)]);
    assert_eq!(coo(true, &[1, 0, 0, 2]), [("LAY-COO-06", 2 * 4096 + 16)]);
}

#[test]
fn fibres() {
    let csf = |levels: [(&[u64], &[u64]); 3]| {
        let layout = Layout::Csf { nnz: 4, mode_order: [0, 1, 2].as_slice().into() };
        let descriptor = describe(ElementType::UInt8, &[2, 3, 4], layout, []);
        let mut buffers = vec![vec![1; 4]];
        buffers
            .extend(levels.iter().flat_map(|(positions, coordinates)| [u64s(positions), u64s(coordinates)]));
        broken(descriptor, &buffers)
    };
    let good: [(&[u64], &[u64]); 3] =
        [(&[0, 2], &[0, 1]), (&[0, 2, 3], &[0, 2, 1]), (&[0, 1, 2, 4], &[1, 3, 0, 2])];
    let with = |level: usize, positions: Option<&'static [u64]>, coordinates: Option<&'static [u64]>| {
        let mut levels = good;
        levels[level] = (positions.unwrap_or(levels[level].0), coordinates.unwrap_or(levels[level].1));
        csf(levels)
    };
    assert_eq!(csf(good), []);
    assert_eq!(with(1, Some(&[1, 2, 3]), None), [("LAY-CSF-06", 4 * 4096)]);
    assert_eq!(with(2, Some(&[0, 2, 1, 4]), None), [("LAY-CSF-07", 6 * 4096 + 16)]);
    assert_eq!(with(1, Some(&[0, 2]), None), [("LAY-CSF-08", 4 * 4096)]);
    assert_eq!(with(0, Some(&[0, u64::MAX]), None), [("LAY-CSF-08", 3 * 4096)]);
    assert_eq!(with(2, Some(&[0, 1, 2, 3]), None), [("LAY-CSF-08", 6 * 4096)]);
    assert_eq!(with(0, None, Some(&[1, 0])), [("LAY-CSF-09", 3 * 4096 + 8)]);
    assert_eq!(with(2, None, Some(&[1, 4, 0, 2])), [("LAY-CSF-10", 7 * 4096 + 8)]);
}

#[test]
fn pages() {
    let paged = |tokens: usize, block_table: &[u64], seq_ptr: &[u64]| {
        let fields = BlockPaged {
            page_size: 4,
            num_pages: 3,
            paged_axis: 0,
            num_seqs: seq_ptr.len() as u32 - 1,
            kv_role: KvRole::Key,
            layer_index: None,
            wide_indices: true,
        };
        let descriptor = describe(ElementType::UInt8, &[tokens, 1, 1], Layout::BlockPaged(fields), []);
        broken(descriptor, &[vec![0; 12], u64s(block_table), u64s(seq_ptr)])
    };
    assert_eq!(paged(9, &[0, 1, 0], &[0, 2, 3]), []);
    assert_eq!(paged(9, &[0, 1, 0], &[1, 2, 3]), [("LAY-BP-06", 3 * 4096)]);
    assert_eq!(paged(9, &[0, 1, 0], &[0, 2, u64::MAX]), [("LAY-BP-06", 3 * 4096 + 16)]);
    assert_eq!(paged(9, &[0, 1, 0], &[0, 3, 2]), [("LAY-BP-07", 3 * 4096 + 16)]);
    assert_eq!(paged(9, &[0, 3, 0], &[0, 2, 3]), [("LAY-BP-08", 2 * 4096 + 8)]);
    assert_eq!(paged(5, &[0, 1, 0], &[0, 2, 3]), [("LAY-BP-09", 3 * 4096)]);
    assert_eq!(paged(13, &[0, 1, 0], &[0, 2, 3]), [("LAY-BP-09", 3 * 4096)]);
}

#[test]
fn elements_and_parameters() {
    let plain = |element_type, shape: &[usize], bytes: Vec<u8>| {
        broken(describe(element_type, shape, Layout::RowMajor, []), &[bytes])
    };
    assert_eq!(plain(ElementType::Float8E8M0, &[3], vec![1, 2, 0xFE, 0]), []);
    assert_eq!(plain(ElementType::Float8E8M0, &[3], vec![1, 2, 0xFF]), [("TYP-05", 4096 + 2)]);
    assert_eq!(plain(ElementType::Bool, &[9], vec![0xFF, 0x01, 0xFF]), []);
    assert_eq!(plain(ElementType::Bool, &[9], vec![0xFF, 0x02]), [("TYP-06", 4096 + 1)]);
    assert_eq!(
        plain(ElementType::Float6E2M3, &[5], vec![0xFF, 0xFF, 0xFF, 0x3F, 0, 0x01]),
        [("TYP-06", 4096 + 3)]
    );
    let quantized = |scheme, storage, bytes: Vec<u8>, parameters: &[Vec<u8>]| {
        let mut descriptor = describe(storage, &[1, 16], Layout::RowMajor, []);
        descriptor.quantization = Some(scheme);
        broken(descriptor, &[&[bytes], parameters].concat())
    };
    let float = |value: f32| value.to_le_bytes().to_vec();
    let channel = Quantization::PerChannel { axis: 0, scales: 1, zero_points: Some(2) };
    let int8 = ElementType::Int8;
    let zero = |value: i32| value.to_le_bytes().to_vec();
    assert_eq!(quantized(channel.clone(), int8, vec![0; 16], &[float(1.0), zero(127)]), []);
    assert_eq!(
        quantized(channel.clone(), int8, vec![0; 16], &[float(0.0), zero(127)]),
        [("QNT-PC-06", 2 * 4096)]
    );
    assert_eq!(quantized(channel, int8, vec![0; 16], &[float(1.0), zero(128)]), [("QNT-PC-07", 3 * 4096)]);
    let block = Quantization::PerBlock {
        axis: 1,
        block_size: 16,
        scales: 1,
        zero_points: None,
        scale_type: ScaleType::Float16,
    };
    assert_eq!(quantized(block, int8, vec![0; 16], &[vec![0, 0x7C]]), [("QNT-PB-10", 2 * 4096)]);
    let nf4 = Quantization::Nf4 { axis: 1, block_size: 16, scales: 1 };
    assert_eq!(quantized(nf4.clone(), ElementType::UInt4, vec![0; 8], &[float(0.0)]), []);
    assert_eq!(quantized(nf4, ElementType::UInt4, vec![0; 8], &[float(-1.0)]), [("QNT-NF-04", 2 * 4096)]);
    let mxfp = Quantization::Mxfp { axis: 1, block_size: 16, scales: 1 };
    assert_eq!(quantized(mxfp, int8, vec![0; 16], &[vec![0xFF]]), [("QNT-MX-04", 2 * 4096)]);
}

#[test]
fn unsound_indices_are_refused_before_they_are_used() {
    let values = [1_u8, 2];
    let (columns, row_ptr) = ([2_u64, u64::MAX], [0_u64, 1, 2]);
    let descriptor = describe(ElementType::UInt8, &[2, 3], Layout::Csr { nnz: 2 }, []);
    let buffers = [&values[..], bytemuck::cast_slice(&columns), bytemuck::cast_slice(&row_ptr)];
    let raw = RawTensor::new(descriptor, buffers);
    let refused = |error: TensorError| assert_eq!(error.format().unwrap().rule().id(), "LAY-CSR-07");
    refused(logical_values(&raw, &Limits::default()).unwrap_err());
    let view = CsrView::<u8>::from_raw(raw).unwrap();
    refused(view.get(&[0, 0]).unwrap_err());
    refused(view.to_dense().unwrap_err());
    refused(view.entries().err().unwrap());
    assert_eq!(view.col_indices().unwrap(), columns);
}
