//! Names that impls by hand give.

use hurray::{HurrayLoad, HurraySave, Loader, NameProblem, ProblemKind, Reported, SaveError, Saver};
use hurray_tests::{file_of, report_of};

/// Saves a number under any name.
struct Named(&'static str, f64);

impl HurraySave for Named {
    fn save<'s>(&'s self, saver: Saver<'_, 's>) -> Result<(), SaveError> {
        let mut group = saver.group()?;
        group.field(self.0, &self.1)?;
        group.finish()
    }
}

#[test]
fn empty_segments_are_refused_by_the_save() {
    for (name, reason) in [
        ("", NameProblem::Empty),
        (".", NameProblem::EmptySegment),
        ("a.", NameProblem::EmptySegment),
        (".a", NameProblem::EmptySegment),
        ("a..b", NameProblem::EmptySegment),
    ] {
        let error = hurray::to_bytes(&Named(name, 1.0)).unwrap_err();
        assert!(
            matches!(&error, SaveError::Name { name: found, reason: why } if &**found == name && *why == reason),
            "{name:?}: {error:?}"
        );
    }
    assert!(file_of(&Named("a.b", 1.0)).metadata().get("a.b").is_some());
}

#[derive(Debug)]
struct Unnamed;

impl<'f> HurrayLoad<'f> for Unnamed {
    fn load(loader: Loader<'_, 'f>) -> Result<Self, Reported> {
        let mut group = loader.group()?;
        group.field::<f64>("a..b")?;
        group.finish().map(|()| Self)
    }
}

#[test]
fn empty_segments_are_refused_by_the_load() {
    let report = report_of::<Unnamed>(&file_of(&Named("a.b", 1.0)));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.found), (ProblemKind::Refused, "a field `a..b`"));
}
