//! Tuples: a group whose members are named `0`, `1`, ...

use crate::model::load::{Loader, Reported};
use crate::model::save::Saver;
use crate::model::{HurrayLoad, HurraySave};
use crate::writer::SaveError;

macro_rules! tuples {
    ($(($($type:ident $place:tt),+))*) => {
        $(
            impl<$($type: HurraySave),+> HurraySave for ($($type,)+) {
                fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
                    let mut group = saver.group()?;
                    $(group.field(stringify!($place), &self.$place)?;)+
                    group.finish()
                }
            }

            impl<'f, $($type: HurrayLoad<'f>),+> HurrayLoad<'f> for ($($type,)+) {
                // Every place is tried before the first failure is returned.
                #[expect(non_snake_case, reason = "each place is named for its type")]
                fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
                    let mut group = loader.group()?;
                    $(let $type = group.place::<$type>($place);)+
                    Ok(($($type?,)+))
                }
            }
        )*
    };
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
}
