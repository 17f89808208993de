#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    #[automatically_derived]
    impl __p::SaveUnitEnum for Activation {
        fn name(&self) -> __p::Option<&'static str> {
            match self {
                Self::Relu { .. } => __p::Some("relu"),
                Self::Silu { .. } => __p::Some("silu"),
                Self::Custom { .. } => __p::None,
            }
        }
    }
    #[automatically_derived]
    impl __p::HurraySave for Activation {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            __p::save_unit_enum(self, __saver)
        }
        fn save_slice<'__s>(
            __slice: &'__s [Self],
            __saver: __p::Saver<'_, '__s>,
            _: __p::Dims,
        ) -> __p::Saved {
            __p::save_unit_enum_slice(__slice, __saver)
        }
    }
    #[automatically_derived]
    impl __p::KvSave for Activation {
        fn to_kv(&self) -> __p::Option<__p::KvValue> {
            __p::unit_enum_to_kv(self)
        }
        fn slice_to_kv(__slice: &[Self]) -> __p::Option<__p::KvValue> {
            __p::unit_enum_slice_to_kv(__slice)
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    #[automatically_derived]
    impl<'hurray> __p::LoadUnitEnum for Activation {
        const VARIANTS: &'static [__p::Variant] = &[
            __p::Variant::new("relu"),
            __p::Variant::new("silu").aliases(&["swish"]),
        ];
        fn from_index(__index: usize) -> __p::Option<Self> {
            match __index {
                0 => __p::Some(Self::Relu {}),
                1 => __p::Some(Self::Silu {}),
                _ => __p::None,
            }
        }
    }
    #[automatically_derived]
    impl<'hurray> __p::HurrayLoad<'hurray> for Activation {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            __p::load_unit_enum::<Self>(__loader)
        }
        fn load_vec(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<__p::Vec<Self>> {
            __p::load_unit_enum_vec(__loader)
        }
    }
    #[automatically_derived]
    impl<'hurray> __p::KvLoad<'hurray> for Activation {
        fn expects() -> &'static str {
            "one of `relu`, `silu`"
        }
        fn expects_slice() -> &'static str {
            "array of utf8, each one of `relu`, `silu`"
        }
        fn from_kv(__entry: __p::KvEntry<'hurray>) -> __p::Option<Self> {
            __p::unit_enum_from_kv(__entry)
        }
        fn from_value(__value: &__p::KvValue) -> __p::Option<Self> {
            __p::unit_enum_from_value(__value)
        }
        fn vec_from_value(__value: &__p::KvValue) -> __p::Option<__p::Vec<Self>> {
            __p::unit_enum_vec_from_value(__value)
        }
    }
};
