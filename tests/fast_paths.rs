//! The short ways to a tensor never say anything else than the long one, whatever the file holds.
//!
//! Short: the tensor that comes next in the file for the field that asks next, and look-ups by name that know the
//! shape already. Long: the descriptor decoded in full, and the view made of it.

use std::collections::BTreeMap;
use std::path::Path;

use hurray::descriptor::Layout;
use hurray::{
    DynTensor, Element, File, HurrayLoad, HurrayLoadOwned, HurraySave, LoadOptions, OpenError, OpenOptions,
    Strictness, Tensor, TensorEntry, TensorView,
};
use hurray_tests::Patch;
use proptest::prelude::*;

/// A field of each kind that takes the short way, in groups and sequences, between some that do not.
#[derive(HurraySave, HurrayLoad)]
struct Model<'a> {
    #[hurray(default = "none")]
    first: Option<TensorView<'a, f32>>,
    blocks: Vec<Block<'a>>,
    label: Option<String>,
    #[hurray(shape = [..])]
    ruled: Option<TensorView<'a, f32>>,
    last: Option<TensorView<'a, f32>>,
}

fn none<T>() -> Option<T> {
    None
}

#[derive(HurraySave, HurrayLoad)]
struct Block<'a> {
    weight: Option<TensorView<'a, f32>>,
    bias: Option<Tensor<f32>>,
    indices: Option<TensorView<'a, i64>>,
}

/// Where a view lies, and which elements it reaches.
#[derive(Debug, PartialEq, Clone)]
struct Seen {
    shape: Vec<usize>,
    strides: Vec<isize>,
    first: Option<usize>,
}

fn seen<T: Element>(view: TensorView<'_, T>) -> Seen {
    let first = view.as_slice().filter(|slice| !slice.is_empty()).map(|slice| slice.as_ptr().addr());
    Seen { shape: view.shape().to_vec(), strides: view.strides().to_vec(), first }
}

/// By the descriptor decoded in full.
fn the_long_way<T: Element>(entry: &TensorEntry<'_>) -> Option<Seen> {
    entry.dyn_view().ok()?.typed::<T>().ok().map(seen)
}

/// By hand, from what the tensor region says.
fn by_the_region<T: Element>(entry: &TensorEntry<'_>) -> Option<(Vec<u64>, usize)> {
    let descriptor = entry.descriptor().ok()?;
    let buffers = entry.buffers().ok()?;
    let is_plain = descriptor.element_type() == T::TYPE && *descriptor.layout() == Layout::RowMajor;
    let is_there = descriptor.composite().is_none() && descriptor.quantization().is_none();
    let start = usize::try_from(descriptor.byte_offset()).unwrap();
    let bytes = buffers.first()?.get(start..)?;
    (is_plain && is_there).then(|| (descriptor.shape().to_vec(), bytes.as_ptr().addr()))
}

/// Holds every way to the tensors of one type against the others.
fn compare<T: Element>(file: &File, is_validated: bool) -> Result<(), TestCaseError> {
    for entry in file.tensors() {
        let name = entry.name();
        let long = the_long_way::<T>(&entry);
        prop_assert_eq!(&entry.view::<T>().ok().map(seen), &long, "`{}` by its entry", name);
        let looked_up = file.tensor(name).unwrap();
        prop_assert_eq!(looked_up.position(), entry.position());
        prop_assert_eq!(&looked_up.view::<T>().ok().map(seen), &long, "`{}` by its name", name);
        prop_assert_eq!(&the_long_way::<T>(&looked_up), &long);
        if is_validated && let (Some(view), Some((shape, address))) = (&long, by_the_region::<T>(&entry)) {
            let dims: Vec<u64> = view.shape.iter().map(|dim| *dim as u64).collect();
            prop_assert_eq!(dims, shape);
            prop_assert!(view.first.is_none_or(|first| first == address), "`{}` lies elsewhere", name);
        }
    }
    Ok(())
}

/// Holds the fields of a load against what the long way finds under their names.
fn compare_model(file: &File) -> Result<(), TestCaseError> {
    let options = LoadOptions::new()
        .missing(Strictness::Relaxed)
        .unexpected(Strictness::Relaxed)
        .mismatched(Strictness::Relaxed);
    let Ok((model, report)) = file.load_with::<Model<'_>>(&options) else { return Ok(()) };
    let check = |name: &str, found: Option<Seen>, is_f32: bool| {
        let entry = file.tensor(name).ok();
        let long = entry.and_then(|entry| match is_f32 {
            true => the_long_way::<f32>(&entry),
            false => the_long_way::<i64>(&entry),
        });
        // What is not in the report was not there.
        prop_assert_eq!(&found, &long, "`{}`; {}", name, report);
        Ok(())
    };
    check("first", model.first.map(seen), true)?;
    check("ruled", model.ruled.map(seen), true)?;
    check("last", model.last.map(seen), true)?;
    for (at, block) in model.blocks.iter().enumerate() {
        check(&format!("blocks.{at}.weight"), block.weight.map(seen), true)?;
        check(&format!("blocks.{at}.bias"), block.bias.as_ref().map(|bias| seen(bias.view())), true)?;
        check(&format!("blocks.{at}.indices"), block.indices.map(seen), false)?;
    }
    Ok(())
}

fn map(options: OpenOptions, path: &Path) -> Result<File, OpenError> {
    // SAFETY: the files of these tests are in folders of their own, and not changed while they are mapped.
    unsafe { options.map(path) }
}

/// Shape, strides and elements.
type Told = (Vec<usize>, Vec<isize>, String);

/// What each tensor of a model says, in an order that is always the same.
fn told(model: &Model<'_>) -> Vec<Option<Told>> {
    fn of<T: Element>(view: Option<TensorView<'_, T>>) -> Option<Told> {
        let view = view?;
        Some((view.shape().to_vec(), view.strides().to_vec(), format!("{:?}", view.to_vec())))
    }
    let blocks = model
        .blocks
        .iter()
        .flat_map(|block| [of(block.weight), of(block.bias.as_ref().map(Tensor::view)), of(block.indices)]);
    blocks.chain([of(model.first), of(model.ruled), of(model.last)]).collect()
}

/// Holds a load of bytes that a caller lends against one of a file.
fn compare_lent(options: &OpenOptions, bytes: &[u8]) -> Result<(), TestCaseError> {
    let file = options.clone().copy_from_slice(bytes);
    let from_file = file.as_ref().map_err(ToString::to_string).and_then(|file| {
        file.load::<Model<'_>>().map(|model| told(&model)).map_err(|error| error.to_string())
    });
    let lent = options.from_slice::<Model<'_>>(bytes);
    prop_assert_eq!(lent.map(|model| told(&model)).map_err(|error| error.to_string()), from_file);
    Ok(())
}

/// Loads that may fail but not panic.
fn load_others(file: &File) {
    fn load<M: HurrayLoadOwned>(file: &File) {
        let _ = file.load::<M>().map_err(|error| error.to_string());
    }
    load::<BTreeMap<String, DynTensor>>(file);
    load::<BTreeMap<String, Tensor<f32>>>(file);
    let _ = file.load::<Model<'_>>().map_err(|error| error.to_string());
    let _ = file.composites().map_err(|error| error.to_string());
}

fn shapes() -> impl Strategy<Value = Option<Vec<usize>>> {
    prop::option::weighted(
        0.8,
        prop::collection::vec(prop_oneof![1 => Just(0), 2 => Just(1), 6 => 2usize..5], 0..6),
    )
}

type Shapes = [Option<Vec<usize>>; 3];

fn models() -> impl Strategy<Value = (Shapes, Vec<Shapes>, bool)> {
    // Many blocks of few shapes, so that kinds of tensors come again.
    let block = [shapes(), shapes(), shapes()];
    let kinds = prop::collection::vec(block, 1..3);
    let order = prop::collection::vec(any::<prop::sample::Index>(), 0..6);
    let blocks = (kinds, order).prop_map(|(kinds, order)| {
        order.iter().map(|index| index.get(&kinds).clone()).collect::<Vec<Shapes>>()
    });
    ([shapes(), shapes(), shapes()], blocks, any::<bool>())
}

fn saved((ends, blocks, label): &(Shapes, Vec<Shapes>, bool)) -> Vec<u8> {
    let floats: Vec<f32> = (0u16..1024).map(f32::from).collect();
    let numbers: Vec<i64> = (0..1024).collect();
    fn view<'a, T: Element>(from: &'a [T], shape: &Option<Vec<usize>>) -> Option<TensorView<'a, T>> {
        let shape = shape.as_ref()?;
        Some(TensorView::from_slice(&from[..shape.iter().product()], shape).unwrap())
    }
    let blocks = blocks.iter().map(|[weight, bias, indices]| Block {
        weight: view(&floats, weight),
        bias: view(&floats, bias).map(|view| Tensor::from_vec(view.to_vec(), view.shape()).unwrap()),
        indices: view(&numbers, indices),
    });
    let [first, ruled, last] = ends.each_ref().map(|shape| view(&floats, shape));
    let label = label.then(|| "label".to_owned());
    hurray::to_bytes(&Model { first, blocks: blocks.collect(), label, ruled, last }).unwrap()
}

/// Which bytes of a file are changed.
#[derive(Debug, Clone, Copy)]
enum Aim {
    /// One copy of a descriptor, and the checksum of the copies.
    Copy,
    /// A descriptor.
    Region,
    /// A descriptor and its copy, alike.
    Both,
    /// Two copies of descriptors of one length are exchanged.
    Swap,
    /// A tensor is said to have the descriptor of another one.
    Number,
    /// A descriptor and its copy begin with the second row.
    SecondRow,
    /// The index, and its checksum.
    Index,
}

fn aims() -> impl Strategy<Value = Aim> {
    let of_copies = prop_oneof![Just(Aim::Copy), Just(Aim::Swap), Just(Aim::SecondRow), Just(Aim::Number)];
    prop_oneof![2 => of_copies, 1 => Just(Aim::Both), 1 => Just(Aim::Region), 1 => Just(Aim::Index)]
}

/// The tensors of a file: where the descriptor lies, where its copy does, and how long it is.
fn descriptors(file: &File, patch: &Patch) -> Vec<(usize, usize, usize)> {
    let places = file.tensors().map(|entry| {
        let length = usize::try_from(entry.descriptor_length()).unwrap();
        (usize::try_from(entry.descriptor_offset()).unwrap(), patch.copy(entry.position()), length)
    });
    places.collect()
}

/// In bytes, in front of the shape.
const FIXED: usize = 20;

type Change = (Aim, prop::sample::Index, prop::sample::Index, u8);

/// Values that mean something in a descriptor are more telling than any.
fn changes() -> impl Strategy<Value = Vec<Change>> {
    let value = prop_oneof![Just(0u8), Just(1), Just(2), Just(8), Just(16), Just(255), any::<u8>()];
    prop::collection::vec((aims(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), value), 0..4)
}

/// `has_table` says whether the copies still are of a version that is known.
fn changed(bytes: &[u8], changes: &[Change], has_table: bool) -> Vec<u8> {
    let file = File::copy_from_slice(bytes).unwrap();
    let mut patch = Patch::of(bytes);
    let (table, index) = (patch.table(), patch.index());
    let places = descriptors(&file, &patch);
    for (aim, which, place, value) in changes {
        if places.is_empty() {
            break;
        }
        let position = which.index(places.len());
        let (region, copy, length) = places[position];
        let at = place.index(length);
        let value = std::slice::from_ref(value);
        patch = match aim {
            Aim::Copy => patch.put(copy + at, value),
            Aim::Region => patch.put(region + at, value),
            Aim::Both => patch.put(copy + at, value).put(region + at, value),
            Aim::Swap => match places.iter().filter(|other| other.2 == length).nth(at) {
                None => patch,
                Some(&(other, ..)) => {
                    let descriptor = bytes[other..other + length].to_vec();
                    patch.put(copy, &descriptor)
                }
            },
            Aim::Number => {
                let number = patch.number(place.index(places.len()));
                let at = patch.number_at(position);
                patch.put(at, &number.to_le_bytes())
            }
            Aim::SecondRow => {
                let number = |at: usize| u64::from_le_bytes(bytes[region + at..][..8].try_into().unwrap());
                // Shape, byte offset, one buffer.
                let rank = (length - FIXED - 8 - 17) / 8;
                let rows = if rank == 0 { 0 } else { number(FIXED) };
                let row = (0..rank).skip(1).map(|axis| number(FIXED + axis * 8)).product::<u64>();
                if rows < 2 || row == 0 {
                    patch
                } else {
                    let size = number(length - 16) / rows;
                    [region, copy].into_iter().fold(patch, |patch, at| {
                        let patch = patch.put(at + FIXED, &(rows - 1).to_le_bytes());
                        patch.put(at + FIXED + rank * 8, &size.to_le_bytes())
                    })
                }
            }
            Aim::Index => patch.put(index.start + place.index(index.len()), value),
        };
    }
    let version = u32::from(has_table).saturating_add(1).to_le_bytes();
    patch.with_sound_table().put(table.start - 8, &version).sealed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_way_to_a_tensor_gives_the_same(
        model in models(),
        changes in changes(),
        has_table in prop::bool::weighted(0.8),
    ) {
        let bytes = changed(&saved(&model), &changes, has_table);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.hrry");
        std::fs::write(&path, &bytes).unwrap();
        for options in [OpenOptions::new(), OpenOptions::new().permissive()] {
            let validating = options.clone().validate_descriptors(true);
            compare_lent(&options, &bytes)?;
            compare_lent(&validating, &bytes)?;
            let opened = [
                (map(options.clone(), &path), false),
                (map(validating.clone(), &path), true),
                (options.clone().read(&path), true),
                (options.clone().copy_from_slice(&bytes), false),
                (validating.clone().copy_from_slice(&bytes), true),
            ];
            for (file, is_validated) in opened {
                let Ok(file) = file else { continue };
                compare::<f32>(&file, is_validated)?;
                compare::<i64>(&file, is_validated)?;
                compare_model(&file)?;
                load_others(&file);
            }
        }
    }

    #[test]
    fn a_file_that_nobody_changed_is_seen_as_it_was_saved(model in models()) {
        let bytes = saved(&model);
        let file = OpenOptions::new().validate_descriptors(true).copy_from_slice(&bytes).unwrap();
        let loaded: Model<'_> = file.load().unwrap();
        let (ends, blocks, label) = &model;
        let shape = |view: Option<TensorView<'_, f32>>| view.map(|view| view.shape().to_vec());
        prop_assert_eq!([shape(loaded.first), shape(loaded.ruled), shape(loaded.last)], ends.clone());
        prop_assert_eq!(loaded.label.is_some(), *label);
        prop_assert_eq!(loaded.blocks.len(), blocks.len());
        for (block, [weight, bias, indices]) in loaded.blocks.iter().zip(blocks) {
            prop_assert_eq!(&shape(block.weight), weight);
            prop_assert_eq!(&shape(block.bias.as_ref().map(Tensor::view)), bias);
            prop_assert_eq!(&block.indices.map(|view| view.shape().to_vec()), indices);
        }
    }
}

#[derive(HurraySave, HurrayLoad)]
struct One<'a> {
    tensor: TensorView<'a, f32>,
}

/// A saved tensor whose copy of the descriptor tells other dimensions than the descriptor.
fn with_a_false_copy() -> Vec<u8> {
    let bytes =
        hurray::to_bytes(&One { tensor: TensorView::from_slice(&[0.0; 6], &[2, 3]).unwrap() }).unwrap();
    let patch = Patch::of(&bytes);
    let shape = patch.copy(0) + 20;
    patch.put(shape, &3u64.to_le_bytes()).put(shape + 8, &2u64.to_le_bytes()).with_sound_table().sealed()
}

#[test]
fn whoever_asks_for_a_check_gets_it_by_every_route() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    let bytes = with_a_false_copy();
    std::fs::write(&path, &bytes).unwrap();
    let lent: &'static [u8] = Vec::leak(bytes.clone());
    let all = [OpenOptions::new().validate_descriptors(true), OpenOptions::new().validate_data(true)];
    for options in all {
        let lent = options.from_slice::<One<'_>>(lent).map(|_| ()).unwrap_err();
        assert!(lent.to_string().contains("tensor"), "{lent}");
        assert!(options.clone().from_vec(bytes.clone()).is_err());
        assert!(options.clone().copy_from_slice(&bytes).is_err());
        assert!(options.clone().read(&path).is_err());
        assert!(map(options, &path).is_err());
    }
    assert!(File::read(&path).is_err());
}

#[test]
fn a_load_that_compares_nothing_goes_by_the_copies_throughout() {
    #[derive(HurrayLoad)]
    struct Ruled<'a> {
        #[hurray(shape = [3, 2])]
        tensor: TensorView<'a, f32>,
    }
    #[derive(HurrayLoad)]
    struct RuledDyn {
        #[hurray(shape = [3, 2])]
        tensor: DynTensor,
    }
    let file = File::from_vec(with_a_false_copy()).unwrap();
    assert_eq!(file.load::<One<'_>>().unwrap().tensor.shape(), [3, 2]);
    assert_eq!(file.load::<Ruled<'_>>().unwrap().tensor.shape(), [3, 2]);
    assert_eq!(file.load::<RuledDyn>().unwrap().tensor.shape(), [3, 2]);
    assert_eq!(file.tensor("tensor").unwrap().descriptor().unwrap().shape(), [2, 3]);
}

/// Says of a tensor that its descriptor is that of another one.
fn with_kind_of(patch: Patch, file: &File, name: &str, other: &str) -> Patch {
    let position = |name: &str| file.tensor(name).unwrap().position();
    let number = patch.number(position(other)).to_le_bytes();
    let at = patch.number_at(position(name));
    patch.put(at, &number)
}

#[test]
fn heads_whose_copies_are_of_another_length_are_read_where_they_lie() {
    type Map = BTreeMap<String, Tensor<f32>>;
    #[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
    struct Maps {
        one: Map,
        two: Map,
    }
    let map = |names: &[&str]| -> Map {
        let tensor = || Tensor::from_vec(vec![1.0; 8], &[2, 2, 2]).unwrap();
        names.iter().map(|name| ((*name).to_owned(), tensor())).collect()
    };
    let maps = Maps { one: map(&["x"]), two: map(&["x", "y"]) };
    let bytes = hurray::to_bytes(&maps).unwrap();
    let file = File::copy_from_slice(&bytes).unwrap();
    let length = |name: &str| file.tensor(name).unwrap().descriptor_length();
    assert_eq!(length("one"), length("two"));
    assert_ne!(length("one"), length("one.x"));
    let patch = ["one", "two"]
        .into_iter()
        .fold(Patch::of(&bytes), |patch, head| with_kind_of(patch, &file, head, "one.x"));
    let bytes = patch.with_sound_table().sealed();
    assert_eq!(File::copy_from_slice(&bytes).unwrap().load::<Maps>().unwrap(), maps);
    assert!(OpenOptions::new().validate_descriptors(true).from_vec(bytes).is_err());
}

#[test]
fn an_entry_is_shown_without_the_bytes_of_its_file() {
    let bytes =
        hurray::to_bytes(&One { tensor: TensorView::from_slice(&[0.0; 6], &[2, 3]).unwrap() }).unwrap();
    let file = File::from_vec(bytes).unwrap();
    let shown = format!("{:?}", file.tensor("tensor").unwrap());
    assert!(shown.starts_with("TensorEntry { name: \"tensor\", position: 0, "), "{shown}");
    assert!(shown.len() < 200, "{shown}");
}

#[test]
fn a_copy_of_another_length_is_not_gone_by_but_refused_by_a_check() {
    #[derive(HurraySave, HurrayLoad)]
    struct Two<'a> {
        tensor: TensorView<'a, f32>,
        other: TensorView<'a, f32>,
    }
    let view = |shape: &[usize]| TensorView::from_slice(&[0.0; 6], shape).unwrap();
    let bytes = hurray::to_bytes(&Two { tensor: view(&[2, 3]), other: view(&[1, 2, 3]) }).unwrap();
    let file = File::copy_from_slice(&bytes).unwrap();
    let patch = with_kind_of(Patch::of(&bytes), &file, "tensor", "other");
    let bytes = patch.with_sound_table().sealed();
    let file = File::copy_from_slice(&bytes).unwrap();
    assert_eq!(file.load::<Two<'_>>().unwrap().tensor.shape(), [2, 3]);
    assert_eq!(file.tensor("tensor").unwrap().view::<f32>().unwrap().shape(), [2, 3]);
    assert_eq!(the_long_way::<f32>(&file.tensor("tensor").unwrap()).unwrap().shape, [2, 3]);
    assert!(matches!(file.validate_descriptor_table(), Err(OpenError::DescriptorTable { .. })));
    let options = OpenOptions::new().validate_descriptors(true);
    assert!(options.clone().copy_from_slice(&bytes).is_err());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    std::fs::write(&path, &bytes).unwrap();
    assert!(File::read(&path).is_err());
    assert!(map(options, &path).is_err());
}
