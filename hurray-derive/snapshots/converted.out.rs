#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    #[automatically_derived]
    impl<T> __p::HurraySave for Checked<T>
    where
        Stored<T>: __p::HurraySave,
        Self: __p::Clone + __p::Into<Stored<T>>,
    {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            __p::save_into::<Stored<T>, Self>(self, __saver)
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    #[automatically_derived]
    impl<'hurray, T> __p::HurrayLoad<'hurray> for Checked<T>
    where
        Stored<T>: __p::HurrayLoad<'hurray>,
        Self: __p::TryFrom<Stored<T>>,
    {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            __p::load_try_from::<Stored<T>, Self>(__loader)
        }
    }
};
