//! Plans within the plan: stand-ins whose bytes are copied, and second names of what is stored once.

use crate::container::KvValue;
use crate::model::names::{TIED, under};
use crate::model::save::SaveWalk;
use crate::writer::{Difference, Plan, SaveError, TieProblem};

/// A second name, and what was saved under it: to be held against the first when all is known.
pub(super) struct Claim<'s> {
    path: Box<str>,
    target: &'static str,
    part: Plan<'s>,
}

impl<'s> SaveWalk<'s> {
    /// Saves into a plan of its own, as if at this very place.
    pub(super) fn captured<'t>(
        &mut self,
        save: &dyn Fn(&mut SaveWalk<'t>) -> Result<(), SaveError>,
    ) -> Result<SaveWalk<'t>, SaveError> {
        let mut part = SaveWalk::new(self.plan.empty_like()?, self.limits.clone());
        part.path.set(self.path.as_str());
        part.heads = self.heads.below();
        part.nesting = self.nesting;
        part.metadata_only = self.metadata_only;
        // Names in shapes stand for one size in the whole struct, of which this is a part.
        part.bindings = std::mem::take(&mut self.bindings);
        part.flat = std::mem::take(&mut self.flat);
        let saved = save(&mut part);
        self.bindings = std::mem::take(&mut part.bindings);
        self.flat = std::mem::take(&mut part.flat);
        self.met_rules |= part.met_rules;
        saved.map(|()| part)
    }

    /// Appends what was saved into a plan of its own; copies its bytes.
    pub(super) fn append_copied(&mut self, mut part: SaveWalk<'_>) -> Result<(), SaveError> {
        let (tensors, entries, root_members) = (part.tensors, part.entries, part.heads.root_members());
        let reach = part.reach;
        for _ in 0..part.heads.to_give_way() {
            self.heads.give_way();
        }
        for Claim { path, target, part } in std::mem::take(&mut part.claims) {
            let mut copied = self.plan.empty_like()?;
            copied.append_copied(part)?;
            self.claims.push(Claim { path, target, part: copied });
        }
        self.plan.append_copied(part.into_part())?;
        self.tensors = self.tensors.saturating_add(tensors);
        self.entries = self.entries.saturating_add(entries);
        self.reach.add(reach);
        self.heads.add_members(root_members);
        Ok(())
    }

    /// Saves a second name of what is, or will be, stored under `target`.
    pub(super) fn tied(
        &mut self,
        target: &'static str,
        variants: u32,
        save: &dyn Fn(&mut SaveWalk<'s>) -> Result<(), SaveError>,
    ) -> Result<(), SaveError> {
        let mut part = self.captured(save)?;
        if part.written() == 0 {
            return Ok(());
        }
        let path: Box<str> = self.path.as_str().into();
        if &*path == target || under(&path, target).is_some() {
            return Err(SaveError::Tie { path, target: target.into(), reason: TieProblem::NotStored });
        }
        self.note(TIED, variants, KvValue::String(target.to_owned()))?;
        self.claims.append(&mut part.claims);
        self.claims.push(Claim { path, target, part: part.into_part() });
        Ok(())
    }

    /// The plan of a part, whose second names are held against the first ones in the whole.
    fn into_part(mut self) -> Plan<'s> {
        self.plan.withdraw(&std::mem::take(&mut self.heads).into_withdrawn());
        self.plan
    }

    /// Ends the walk: every second name is held against the first.
    pub(crate) fn into_plan(mut self) -> Result<Plan<'s>, SaveError> {
        self.reach.check(&self.limits)?;
        self.plan.withdraw(&std::mem::take(&mut self.heads).into_withdrawn());
        for Claim { path, target, part } in &self.claims {
            let is_tied = |name: &str| self.plan.has_kv(&format!("{TIED}{name}"));
            let ancestors = target.match_indices('.').map(|(end, _)| target.get(..end).unwrap_or_default());
            let reason = if ancestors.chain([*target]).any(is_tied) {
                TieProblem::NotStored
            } else {
                match self.plan.compare(part, path, target) {
                    Ok(()) => continue,
                    Err(Difference::Missing(name)) => TieProblem::Missing(name),
                    Err(Difference::Descriptor(name)) => TieProblem::Descriptor(name),
                    Err(Difference::Bytes(name)) => TieProblem::Values(name),
                    Err(Difference::NotComparable(name)) => TieProblem::NotComparable(name),
                }
            };
            return Err(SaveError::Tie { path: path.clone(), target: (*target).into(), reason });
        }
        Ok(self.plan)
    }
}
