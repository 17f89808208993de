//! On the Flex backend weights lie in the file's memory until they are written to.

use std::fs;

use burn::module::Param;
use burn::nn::{Linear, LinearConfig};
use burn::store::ModuleSnapshot;
use burn::tensor::{Device, Tensor};
use hurray::burn::HurrayStore;
use hurray::{File, HurrayLoad, HurraySave};

use super::module::{Checked, state};

fn linear() -> Linear {
    LinearConfig::new(64, 32).init(&Device::default())
}

/// Where the tensor's elements are: the tensor is the last to hold them, so burn hands out what it has.
fn address<const D: usize>(tensor: Tensor<D>) -> usize {
    tensor.into_data().as_bytes().as_ptr().addr()
}

#[test]
fn weights_lie_in_the_mapping() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("linear.hrry");
    linear().save_into(&mut HurrayStore::from_file(&path))?;
    // SAFETY: nobody else knows the folder.
    let file = unsafe { File::map(&path) }?;
    let mut loaded = linear();
    loaded.load_from(&mut HurrayStore::from(file.clone()))?;
    let lies_at = file.tensor("weight")?.buffer(0)?.as_ptr().addr();
    assert_eq!(address(loaded.weight.into_value()), lies_at);
    Ok(())
}

#[test]
fn writing_copies_first_and_leaves_the_file_alone() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("linear.hrry");
    let saved = linear();
    saved.save_into(&mut HurrayStore::from_file(&path))?;
    let before = fs::read(&path)?;
    let mut loaded = linear();
    // SAFETY: nobody else knows the folder.
    loaded.load_from(&mut unsafe { HurrayStore::map(&path) }?)?;
    // The only owner: burn would write in place if it could.
    let doubled = loaded.weight.into_value().mul_scalar(2.0);
    let wanted = saved.weight.val().mul_scalar(2.0);
    assert_eq!(doubled.into_data(), wanted.into_data());
    assert_eq!(fs::read(&path)?, before);
    let mut again = linear();
    // SAFETY: as above.
    again.load_from(&mut unsafe { HurrayStore::map(&path) }?)?;
    assert_eq!(state(&again)?, state(&saved)?);
    Ok(())
}

#[test]
fn weights_outlive_the_store_and_its_file() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("linear.hrry");
    let saved = linear();
    saved.save_into(&mut HurrayStore::from_file(&path))?;
    let mut loaded = linear();
    // SAFETY: nobody else knows the folder.
    loaded.load_from(&mut unsafe { HurrayStore::map(&path) }?)?;
    // Saving replaces the file, and what is mapped keeps the old bytes.
    linear().save_into(&mut HurrayStore::from_file(&path).overwrite(true))?;
    folder.close()?;
    assert_eq!(state(&loaded)?, state(&saved)?);
    Ok(())
}

#[derive(HurraySave, HurrayLoad)]
struct Fields {
    weight: Param<Tensor<2>>,
}

#[test]
fn fields_of_a_derived_struct_lie_in_the_mapping_too() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("fields.hrry");
    hurray::save(&path, &Fields { weight: linear().weight })?;
    // SAFETY: nobody else knows the folder.
    let file = unsafe { File::map(&path) }?;
    let fields: Fields = file.load()?;
    let lies_at = file.tensor("weight")?.buffer(0)?.as_ptr().addr();
    assert_eq!(address(fields.weight.into_value()), lies_at);
    Ok(())
}

#[test]
fn fields_from_borrowed_bytes_own_a_copy() -> Checked {
    let bytes = hurray::to_bytes(&Fields { weight: linear().weight })?;
    let fields: Fields = hurray::from_slice(&bytes)?;
    let first = fields.weight.val().to_data();
    let inside = bytes.as_ptr_range();
    let lies_at = address(fields.weight.into_value());
    assert!(!(inside.start.addr()..inside.end.addr()).contains(&lies_at));
    drop(bytes);
    assert_eq!(first.shape().to_vec(), [64, 32]);
    Ok(())
}
