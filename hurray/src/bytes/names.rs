//! Names by their bytes, a word at a time: most are so short that a call into the C library, which has to find out
//! how long they are, takes longer than the comparison.

/// Whether two names are the same.
#[inline(always)]
pub(crate) fn is_same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let (Some(left_end), Some(right_end)) = (left.last_chunk::<16>(), right.last_chunk::<16>()) else {
        return ends(left) == ends(right);
    };
    // The last 16 bytes may be there for the second time.
    let ((left, _), (right, _)) = (left.as_chunks::<16>(), right.as_chunks::<16>());
    left_end == right_end && left.iter().zip(right).all(|(left, right)| left == right)
}

/// Both words of 16 bytes.
#[inline(always)]
pub(crate) fn halves(bytes: &[u8; 16]) -> [u64; 2] {
    let (words, _) = bytes.as_chunks::<8>();
    let [low, high] = *words else { return [0; 2] };
    [u64::from_le_bytes(low), u64::from_le_bytes(high)]
}

/// The first and the last bytes of a name below 16 bytes, which overlap so that none is left out. Names of one length
/// are the same if these are.
#[inline(always)]
pub(crate) fn ends(name: &[u8]) -> [u64; 2] {
    if let (Some(first), Some(last)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        return [u64::from_le_bytes(*first), u64::from_le_bytes(*last)];
    }
    if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        return [u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()];
    }
    let byte = |at: usize| name.get(at).copied().unwrap_or_default();
    [u64::from_le_bytes([byte(0), byte(1), byte(2), 0, 0, 0, 0, 0]), 0]
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn names_are_the_same_if_every_byte_is() {
        for length in 0..50usize {
            let name: Vec<u8> = (0..length).map(|at| b'a' + (at % 26) as u8).collect();
            assert!(is_same(&name, &name.clone()));
            assert!(!is_same(&name, &[&name[..], b"a"].concat()));
            for at in 0..length {
                let mut other = name.clone();
                other[at] ^= 0x20;
                assert!(!is_same(&name, &other), "byte {at} of {length}");
            }
        }
    }
}
