#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    #[automatically_derived]
    impl<T> __p::HurraySave for Meters<T>
    where
        T: __p::HurraySave,
    {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            <T as __p::HurraySave>::save(&self.0, __saver)
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    #[automatically_derived]
    impl<'hurray, T> __p::HurrayLoad<'hurray> for Meters<T>
    where
        T: __p::HurrayLoad<'hurray>,
    {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            __p::Ok(Self {
                0: <T as __p::HurrayLoad<'_>>::load(__loader)?,
                1: <usize as __p::Default>::default(),
            })
        }
        const IS_LEAF: bool = <T as __p::HurrayLoad<'hurray>>::IS_LEAF;
    }
};
