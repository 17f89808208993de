//! The plan of a file: everything but the bytes of the tensors, collected before the first byte.

use super::composites;
use super::error::{NameSpace, SaveError, check_name};
use super::form::FileForm;
use super::names::Names;
use super::sealed::SealedPlan;
use super::source::TensorSource;
use crate::bytes::Sink;
use crate::container::{KvValue, Metadata, MetadataError};
use crate::descriptor::TensorDescriptor;
use crate::error::{FormatError, Rule};

/// What is decided before anything is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PlanOptions {
    pub(crate) form: FileForm,
    /// Whether there will be a checksum of every tensor among the metadata.
    pub(crate) checksums: bool,
    /// Whether there will be a copy of all descriptors among the metadata.
    pub(crate) descriptor_table: bool,
}

/// What will be written, in file order. Holds no tensor data of its own, and per tensor no allocation of its
/// own: names and encoded descriptors lie in one buffer each.
pub(crate) struct Plan<'s> {
    pub(super) options: PlanOptions,
    pub(super) items: Items,
    pub(super) sources: Vec<TensorSource<'s>>,
    pub(super) metadata: Metadata,
    /// Who pushes at the moment, for errors.
    owner: Option<&'static str>,
    owners: Vec<&'static str>,
}

/// Names and encoded descriptors, in file order.
pub(super) struct Items {
    names: Names,
    descriptors: Sink,
    /// As many as names.
    ends: Vec<Ends>,
}

/// Where the parts of an item end; they start where those of the item before end.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    descriptor: usize,
    source: usize,
    /// One more than the place in `owners`; 0 is nobody.
    owner: u32,
}

/// One tensor or composite head of the plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'p> {
    pub(super) name: &'p str,
    /// Encoded.
    pub(super) descriptor: &'p [u8],
    /// How many sources it has: 0 for a head.
    pub(super) sources: usize,
}

impl Items {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All items in file order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Item<'_>> + Clone {
        let mut start = Ends::default();
        self.names.iter().zip(&self.ends).map(move |(name, end)| {
            let Ends { descriptor, source, .. } = std::mem::replace(&mut start, *end);
            Item {
                name,
                descriptor: self.descriptors.as_slice().get(descriptor..end.descriptor).unwrap_or_default(),
                sources: end.source.saturating_sub(source),
            }
        })
    }

    /// The position of the item of that name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.names.find(name)
    }

    /// The encoded descriptor of an item, and which of the plan's sources are its own.
    pub(super) fn parts(&self, position: usize) -> Option<(&[u8], std::ops::Range<usize>)> {
        let start =
            position.checked_sub(1).map_or(Some(Ends::default()), |before| self.ends.get(before).copied())?;
        let end = self.ends.get(position)?;
        Some((self.descriptors.as_slice().get(start.descriptor..end.descriptor)?, start.source..end.source))
    }

    /// All but the items at some positions, in ascending order, which have no sources.
    fn without(&self, positions: &[usize]) -> Self {
        let mut kept = Self { names: Names::new(), descriptors: Sink::default(), ends: Vec::new() };
        let items = self.iter().zip(&self.ends).enumerate();
        for (_, (item, ends)) in items.filter(|(position, _)| positions.binary_search(position).is_err()) {
            // They were unique before.
            let _ = kept.names.push(item.name);
            kept.descriptors.bytes(item.descriptor);
            kept.ends.push(Ends { descriptor: kept.descriptors.len(), ..*ends });
        }
        kept
    }

    fn descriptor_mut(&mut self, position: usize) -> Option<&mut [u8]> {
        let start = position.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = start.map_or(0, |before| before.descriptor);
        let end = self.ends.get(position)?.descriptor;
        self.descriptors.as_mut_slice().get_mut(start..end)
    }
}

impl<'s> Plan<'s> {
    /// An empty plan.
    ///
    /// # Errors
    /// [`SaveError::Format`] for an alignment that no file has (HDR-05, HDR-06).
    pub(crate) fn new(options: PlanOptions) -> Result<Self, SaveError> {
        options.form.check()?;
        Ok(Self {
            options,
            items: Items { names: Names::new(), descriptors: Sink::default(), ends: Vec::new() },
            sources: Vec::new(),
            metadata: Metadata::new(),
            owner: None,
            owners: Vec::new(),
        })
    }

    /// An empty plan with the same options.
    pub(crate) fn empty_like<'t>(&self) -> Result<Plan<'t>, SaveError> {
        Plan::new(self.options)
    }

    /// Tells errors who owns the names to come, such as the name of a type; gives who owned those before.
    pub(crate) fn set_owner(&mut self, owner: Option<&'static str>) -> Option<&'static str> {
        std::mem::replace(&mut self.owner, owner)
    }

    /// Adds a tensor, one source per buffer of its descriptor, and gives its position.
    ///
    /// # Errors
    /// [`SaveError::Name`] and [`SaveError::Collision`] for the name, [`SaveError::Format`] for a descriptor
    /// that breaks a rule or sources that do not fit it (PLC-10). The plan then is as before.
    pub(crate) fn push(
        &mut self,
        name: &str,
        descriptor: &TensorDescriptor,
        sources: impl IntoIterator<Item = TensorSource<'s>>,
    ) -> Result<usize, SaveError> {
        check_name(name)?;
        descriptor
            .validate_for_writing(self.options.form.alignment)
            .map_err(|error| error.in_tensor(name))?;
        let kept = self.sources.len();
        self.sources.extend(sources);
        let lengths = self.sources.iter().skip(kept).map(TensorSource::len);
        let added = check_lengths(descriptor, lengths)
            .map_err(|error| error.in_tensor(name).into())
            .and_then(|()| self.add(name, descriptor));
        if added.is_err() {
            self.sources.truncate(kept);
        }
        added
    }

    /// Adds the head of a group, whose members are to follow.
    ///
    /// # Errors
    /// [`SaveError::Name`] and [`SaveError::Collision`] for the name.
    pub(crate) fn push_group(&mut self, name: &str) -> Result<usize, SaveError> {
        self.push(name, &TensorDescriptor::group(0), [])
    }

    /// Tells how many direct members the group at `position` has; a nested head is one.
    ///
    /// # Errors
    /// [`SaveError::Format`] if that is no group.
    pub(crate) fn set_member_count(&mut self, position: usize, members: u32) -> Result<(), SaveError> {
        self.items
            .descriptor_mut(position)
            .and_then(|head| composites::set_member_count(head, members))
            .ok_or_else(|| Rule::Cmp27.broken().expected_to_be("the head of a group").into())
    }

    /// Takes heads away again, at positions in ascending order. The tensors after them move up.
    pub(crate) fn withdraw(&mut self, positions: &[usize]) {
        if !positions.is_empty() {
            self.items = self.items.without(positions);
        }
    }

    /// Adds a KV entry.
    ///
    /// # Errors
    /// [`SaveError::Name`] and [`SaveError::Collision`] for the key. Values that are too long are found when
    /// the plan is sealed.
    pub(crate) fn kv(&mut self, key: &str, value: impl Into<KvValue>) -> Result<(), SaveError> {
        check_name(key)?;
        self.metadata.insert(key, value).map_err(|error| match error {
            MetadataError::Duplicate { .. } => self.key_collision(key),
            _ => Rule::Kv13.broken().but_found(error).into(),
        })
    }

    /// Whether there is a KV entry of that key.
    pub(crate) fn has_kv(&self, key: &str) -> bool {
        self.metadata.get(key).is_some()
    }

    /// Checks what can only be said of the whole, and fixes every offset.
    ///
    /// # Errors
    /// [`SaveError::Format`] for a composite that breaks a rule (CMP-27) and for metadata that are too long
    /// (KV-13), [`SaveError::Limit`] for a file of more than 2^64 bytes.
    pub(crate) fn seal(self) -> Result<SealedPlan<'s>, SaveError> {
        SealedPlan::new(self)
    }

    fn add(&mut self, name: &str, descriptor: &TensorDescriptor) -> Result<usize, SaveError> {
        match self.items.names.push(name) {
            Ok(position) => {
                descriptor.encode(&mut self.items.descriptors);
                let owner = self.intern_owner();
                let (descriptor, source) = (self.items.descriptors.len(), self.sources.len());
                self.items.ends.push(Ends { descriptor, source, owner });
                Ok(position)
            }
            Err(first) => Err(SaveError::Collision {
                entries: NameSpace::Tensors,
                name: name.into(),
                first: self.describe(first, self.owner_of(first)),
                second: self.describe(self.items.len(), self.owner),
            }),
        }
    }

    fn intern_owner(&mut self) -> u32 {
        let Some(owner) = self.owner else { return 0 };
        if self.owners.last() != Some(&owner) {
            self.owners.push(owner);
        }
        u32::try_from(self.owners.len()).unwrap_or(0)
    }

    fn owner_of(&self, position: usize) -> Option<&'static str> {
        let owner = self.items.ends.get(position)?.owner.checked_sub(1)?;
        self.owners.get(usize::try_from(owner).ok()?).copied()
    }

    #[cold]
    fn describe(&self, position: usize, owner: Option<&str>) -> Box<str> {
        match owner {
            Some(owner) => format!("tensor {position} (of `{owner}`)").into(),
            None => format!("tensor {position}").into(),
        }
    }

    #[cold]
    fn key_collision(&self, key: &str) -> SaveError {
        let first = self.metadata.iter().position(|(known, _)| known == key).unwrap_or_default();
        let entry = |position: usize| format!("entry {position}").into();
        SaveError::Collision {
            entries: NameSpace::Metadata,
            name: key.into(),
            first: entry(first),
            second: match self.owner {
                Some(owner) => format!("entry {} (of `{owner}`)", self.metadata.len()).into(),
                None => entry(self.metadata.len()),
            },
        }
    }
}

/// Compares the bytes supplied with what the descriptor says (PLC-10).
pub(super) fn check_lengths(
    descriptor: &TensorDescriptor,
    lengths: impl ExactSizeIterator<Item = u64>,
) -> Result<(), FormatError> {
    let buffers = descriptor.buffers();
    Rule::Plc10.check(lengths.len() == buffers.len(), |e| {
        e.expected_to_be(format!("{} buffers", buffers.len())).but_found(lengths.len())
    })?;
    for (index, (buffer, len)) in buffers.iter().zip(lengths).enumerate() {
        Rule::Plc10.check(buffer.byte_size == len, |e| {
            e.expected_to_be(format!("{} bytes for buffer {index}", buffer.byte_size)).but_found(len)
        })?;
    }
    Ok(())
}
