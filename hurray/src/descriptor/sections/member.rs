//! The composite member section (FORMAT §3.12).

use crate::bytes::{Cursor, Sink};
use crate::descriptor::decode::decode_reserved;
use crate::error::{FormatError, Rule};

use super::MemberRole;

impl MemberRole {
    /// In bytes.
    pub(in crate::descriptor) const ENCODED_LEN: usize = 16;

    /// CMP-21.
    pub(in crate::descriptor) fn decode(fields: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let at = fields.offset();
        let role = match fields.u8()? {
            0 => Self::Correction,
            1 => Self::Base,
            role => {
                return Err(Rule::Cmp21.broken().at(at).expected_to_be("member role 0 or 1").but_found(role));
            }
        };
        decode_reserved::<15>(fields, Rule::Cmp21)?;
        Ok(role)
    }

    pub(in crate::descriptor) fn encode(self, sink: &mut Sink) {
        let role = match self {
            Self::Correction => 0,
            Self::Base => 1,
        };
        sink.u8(role).zeros(15);
    }
}
