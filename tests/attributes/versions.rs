//! `version`, `migrate` and `since`.

use hurray::{HurrayLoad, HurraySave, Migration, ProblemKind};
use hurray_tests::{file_of, listing_of, reloaded, report_of};

#[derive(HurraySave)]
struct Then {
    rate: f64,
}

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
#[hurray(version = 2, migrate = "forward")]
struct Now {
    learning_rate: f64,
    #[hurray(since = 2)]
    epochs: u32,
    #[hurray(since = 1, default = "seven")]
    seed: u32,
}

fn seven() -> u32 {
    7
}

fn forward(from: u32, old: &mut Migration<'_, '_>) {
    assert_eq!(from, 0);
    old.rename("rate", "learning_rate");
}

#[test]
fn version_is_in_the_file_and_migrate_brings_older_ones_forward() {
    let now = Now { learning_rate: 0.5, epochs: 3, seed: 4 };
    assert!(listing_of(&now).contains(&"hurray.version = uint64 2".to_owned()), "{:?}", listing_of(&now));
    assert_eq!(reloaded(&now), now);
    let old: Now = file_of(&Then { rate: 0.25 }).load().unwrap();
    assert_eq!(old, Now { learning_rate: 0.25, epochs: 0, seed: 7 });
    #[derive(HurraySave)]
    #[hurray(version = 3)]
    struct Later {}
    assert_eq!(report_of::<Now>(&file_of(&Later {})).count(ProblemKind::Version), 1);
}

#[test]
fn since_takes_the_default_in_older_files_only() {
    #[derive(HurraySave)]
    #[hurray(version = 1)]
    struct One {
        learning_rate: f64,
    }
    #[derive(HurrayLoad, Debug)]
    #[hurray(version = 1)]
    #[expect(dead_code, reason = "it does not load")]
    struct Strict {
        learning_rate: f64,
        #[hurray(since = 1)]
        seed: u32,
    }
    let report = report_of::<Strict>(&file_of(&One { learning_rate: 0.5 }));
    let [problem] = report.problems() else { panic!("{report}") };
    assert_eq!((problem.kind, &*problem.path), (ProblemKind::Missing, "seed"));
}
