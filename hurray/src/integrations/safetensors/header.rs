//! The header of a safetensors file: a length of 8 bytes, then JSON; the data follow without gaps.
//!
//! Read here and not by the crate `safetensors`, so that one tensor of an unknown type does not make the others
//! unreadable, and the data need not be in memory.

use std::io::Read;

use ::safetensors::Dtype;
use serde_json::{Map, Value};

use super::dtype;
use super::error::SourceError;
use crate::bytes::to_usize;
use crate::container::wrong;
use crate::error::FileKind;

/// In bytes: the length before the JSON.
const LENGTH_SIZE: u64 = 8;

/// In bytes: what readers of safetensors take.
const MAX_LENGTH: u64 = 100_000_000;

/// The key of the metadata among the names of the tensors.
pub(super) const METADATA: &str = "__metadata__";

/// What the header of a safetensors file says.
#[derive(Debug, Clone, Default)]
pub(super) struct Header {
    /// In the order of the header.
    pub(super) metadata: Vec<(String, String)>,
    /// In the order of the data.
    pub(super) tensors: Vec<Listed>,
}

/// One tensor of a header.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) name: String,
    /// `Err` with the name of a type that is not known.
    pub(super) dtype: Result<Dtype, String>,
    pub(super) shape: Vec<u64>,
    /// In bytes from the start of the file.
    pub(super) start: u64,
    /// In bytes from the start of the file.
    pub(super) end: u64,
}

impl Listed {
    pub(super) fn size(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

impl Header {
    /// Reads the header of a file of `size` bytes, and checks that it describes all of it.
    pub(super) fn read(mut file: impl Read, size: u64) -> Result<Self, SourceError> {
        let mut start = [0; 512];
        let mut have = 0;
        while let Some(rest) = start.get_mut(have..).filter(|rest| !rest.is_empty()) {
            match file.read(rest)? {
                0 => break,
                read => have = have.saturating_add(read),
            }
        }
        let start = start.get(..have).unwrap_or_default();
        let length = match (wrong::kind_of(start), start.first_chunk()) {
            (FileKind::Safetensors, Some(length)) => u64::from_le_bytes(*length),
            (other, _) => return Err(SourceError::Other(other)),
        };
        let data_start = length.saturating_add(LENGTH_SIZE);
        if data_start > size || length > MAX_LENGTH {
            return Err(SourceError::Size { needed: data_start, have: size });
        }
        // Allocates no more than the bytes that the file has.
        let mut json = start.get(8..).unwrap_or_default().to_vec();
        let length = to_usize(length).unwrap_or(usize::MAX);
        let missing = u64::try_from(length.saturating_sub(json.len())).unwrap_or(u64::MAX);
        file.take(missing).read_to_end(&mut json)?;
        json.truncate(length);
        if json.len() < length {
            return Err(SourceError::Size { needed: data_start, have: LENGTH_SIZE.saturating_add(size) });
        }
        Self::parse(&json, data_start, size)
    }

    /// `size` is that of the file, whose data begin at `data_start`.
    fn parse(json: &[u8], data_start: u64, size: u64) -> Result<Self, SourceError> {
        let names: Map<String, Value> =
            serde_json::from_slice(json).map_err(|error| SourceError::Header(error.into()))?;
        let mut header = Self::default();
        for (name, value) in names {
            if name == METADATA {
                header.metadata = metadata(value)?;
            } else {
                header.tensors.push(Listed::parse(name, &value, data_start)?);
            }
        }
        header.tensors.sort_by_key(|tensor| (tensor.start, tensor.end));
        header.check_places(data_start, size)?;
        Ok(header)
    }

    /// Tensors follow each other without gaps, to the end of the file. A name that the JSON has twice shows
    /// here: the parser keeps the last one, and the bytes of the first belong to nobody.
    fn check_places(&self, data_start: u64, size: u64) -> Result<(), SourceError> {
        let mut position = data_start;
        for tensor in &self.tensors {
            if tensor.start != position {
                return Err(tensor.wrong("its data do not follow those of the tensor before"));
            }
            position = tensor.end;
        }
        if position == size { Ok(()) } else { Err(SourceError::Size { needed: position, have: size }) }
    }
}

fn metadata(value: Value) -> Result<Vec<(String, String)>, SourceError> {
    let refused = || SourceError::Header("`__metadata__` is not an object of strings".into());
    let Value::Object(entries) = value else { return Err(refused()) };
    entries
        .into_iter()
        .map(|(key, value)| match value {
            Value::String(text) => Ok((key, text)),
            _ => Err(refused()),
        })
        .collect()
}

impl Listed {
    fn parse(name: String, value: &Value, data_start: u64) -> Result<Self, SourceError> {
        let mut tensor =
            Self { name, dtype: Err(String::new()), shape: Vec::new(), start: data_start, end: data_start };
        let Some(dtype) = value.get("dtype").and_then(Value::as_str) else {
            return Err(tensor.wrong("it has no dtype"));
        };
        tensor.dtype = serde_json::from_value(Value::from(dtype)).map_err(|_| dtype.to_owned());
        let Some(shape) = value.get("shape").and_then(numbers) else {
            return Err(tensor.wrong("it has no shape"));
        };
        tensor.shape = shape;
        let offsets = value.get("data_offsets").and_then(numbers);
        let Some([start, end]) = offsets.as_deref() else { return Err(tensor.wrong("it has no place")) };
        (tensor.start, tensor.end) = match (data_start.checked_add(*start), data_start.checked_add(*end)) {
            (Some(start), Some(end)) if start <= end => (start, end),
            _ => return Err(tensor.wrong("it ends before it starts")),
        };
        if let Ok(dtype) = tensor.dtype
            && tensor.elements().and_then(|elements| dtype::size_of(dtype, elements)) != Some(tensor.size())
        {
            return Err(tensor.wrong("its place is not as large as its shape"));
        }
        Ok(tensor)
    }

    pub(super) fn elements(&self) -> Option<u64> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape.iter().try_fold(1u64, |count, &dim| count.checked_mul(dim))
    }

    #[cold]
    fn wrong(&self, problem: &'static str) -> SourceError {
        SourceError::Tensor { name: self.name.clone(), problem }
    }
}

fn numbers(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

/// Makes a header, tensor by tensor.
#[derive(Debug)]
pub(super) struct HeaderBuilder {
    json: String,
    data_size: u64,
}

impl HeaderBuilder {
    pub(super) fn new<'m>(metadata: impl IntoIterator<Item = (&'m str, &'m str)>) -> Self {
        let mut builder = Self { json: String::from("{"), data_size: 0 };
        let mut separator = "";
        for (key, text) in metadata {
            match separator {
                "" => builder.json.push_str("\"__metadata__\":{"),
                _ => builder.json.push(','),
            }
            separator = ",";
            builder.json.push_str(&quoted(key));
            builder.json.push(':');
            builder.json.push_str(&quoted(text));
        }
        if !separator.is_empty() {
            builder.json.push('}');
        }
        builder
    }

    /// Adds a tensor whose `size` bytes of data follow those before; `None` past the end of any file.
    pub(super) fn tensor(&mut self, name: &str, dtype: Dtype, shape: &[u64], size: u64) -> Option<()> {
        let end = self.data_size.checked_add(size)?;
        if self.json.len() > 1 {
            self.json.push(',');
        }
        let shape: Vec<String> = shape.iter().map(u64::to_string).collect();
        self.json.push_str(&format!(
            "{}:{{\"dtype\":\"{dtype}\",\"shape\":[{}],\"data_offsets\":[{},{end}]}}",
            quoted(name),
            shape.join(","),
            self.data_size,
        ));
        self.data_size = end;
        Some(())
    }

    /// The first bytes of the file, so many that data start at a multiple of 8; and the size of the file. `None`
    /// for a header longer than readers take.
    pub(super) fn finish(mut self) -> Option<(Vec<u8>, u64)> {
        self.json.push('}');
        let length = self.json.len().checked_next_multiple_of(8)?;
        let encoded = u64::try_from(length).ok().filter(|length| *length <= MAX_LENGTH)?;
        let mut bytes = encoded.to_le_bytes().to_vec();
        bytes.extend_from_slice(self.json.as_bytes());
        bytes.resize(length.checked_add(8)?, b' ');
        let size = self.data_size.checked_add(encoded)?.checked_add(LENGTH_SIZE)?;
        Some((bytes, size))
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
