#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    #[automatically_derived]
    impl __p::HurraySave for Marker {
        fn save<'__s>(&'__s self, __saver: __p::Saver<'_, '__s>) -> __p::Saved {
            __p::save_group(__saver)?.finish()
        }
    }
};
#[allow(deprecated, unused_qualifications)]
const _: () = {
    use ::hurray::__private as __p;
    #[automatically_derived]
    impl<'hurray> __p::HurrayLoad<'hurray> for Marker {
        fn load(__loader: __p::Loader<'_, 'hurray>) -> __p::Loaded<Self> {
            let __group = __p::load_group(__loader)?;
            __p::close_group(__group);
            __p::Ok(Self {})
        }
        fn load_shared(
            __loader: __p::Loader<'_, 'hurray>,
        ) -> __p::Loaded<__p::Arc<Self>> {
            __p::load_shared(__loader)
        }
    }
};
