//! C6, C7, C8, C9: what a save does to files that are there, to their modes, and when it is interrupted.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use hurray::{File, HurrayLoad, HurraySave, OpenOptions, SaveError, SaveOptions, Saver, TensorSource};

#[derive(HurraySave, HurrayLoad, Debug, PartialEq)]
struct M {
    w: Vec<f32>,
}

fn model(value: f32, count: usize) -> M {
    M { w: vec![value; count] }
}

/// Names in a folder, sorted.
fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// For tests that run a part of themselves in another process.
const CHILD: &str = "HURRAY_TESTS_CHILD";

/// This very test once more, as another process: there, [`CHILD`] is set.
fn as_child(test: &str, before: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{before} exec \"$0\" --exact save::{test} --nocapture"));
    command.arg(std::env::current_exe().unwrap());
    command.env(CHILD, "1").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

#[test]
fn c06_saving_over_a_mapped_file_keeps_the_old_views() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    hurray::save(&path, &model(1.0, 1 << 20)).unwrap();
    // SAFETY: the file is replaced below, never changed in place.
    let old = unsafe { File::map(&path) }.unwrap();
    #[derive(HurraySave, HurrayLoad)]
    struct View<'a> {
        w: hurray::TensorView<'a, f32>,
    }
    let view: View<'_> = old.load().unwrap();
    // The very views that come from the file are saved over it.
    hurray::save(&path, &view).unwrap();
    assert!(view.w.iter().all(|value| value == 1.0));
    hurray::save(&path, &model(2.0, 1 << 20)).unwrap();
    assert!(view.w.iter().all(|value| value == 1.0));
    assert_eq!(hurray::load::<M>(&path).unwrap(), model(2.0, 1 << 20));
    assert_eq!(names_in(folder.path()), ["model.hrry"]);
}

#[cfg(unix)]
#[test]
fn c06_saving_through_links_and_relative_paths() {
    use std::os::unix::fs::symlink;

    const TEST: &str = "c06_saving_through_links_and_relative_paths";
    if is_child() {
        for (value, path) in
            [(10.0, "models/model.hrry"), (11.0, "./models/../models/model.hrry"), (12.0, "link")]
        {
            hurray::save(path, &model(value, 8)).unwrap();
            assert_eq!(hurray::load::<M>("models/model.hrry").unwrap(), model(value, 8));
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    fs::create_dir(&models).unwrap();
    let (path, link, hard) =
        (models.join("model.hrry"), folder.path().join("link"), folder.path().join("hard"));
    hurray::save(&path, &model(1.0, 8)).unwrap();
    symlink("models/model.hrry", &link).unwrap();
    // SAFETY: the file is replaced below, never changed in place.
    let old = unsafe { File::map(&link) }.unwrap();

    hurray::save(&link, &model(2.0, 8)).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link is still one");
    assert_eq!(hurray::load::<M>(&path).unwrap(), model(2.0, 8), "its target has the new model");
    assert_eq!(old.load::<M>().unwrap(), model(1.0, 8));

    fs::hard_link(&path, &hard).unwrap();
    hurray::save(&path, &model(3.0, 8)).unwrap();
    assert_eq!(hurray::load::<M>(&hard).unwrap(), model(2.0, 8), "another name of the old file keeps it");
    assert_eq!(hurray::load::<M>(&path).unwrap(), model(3.0, 8));

    assert!(as_child(TEST, "").current_dir(folder.path()).status().unwrap().success());
    assert_eq!(names_in(&models), ["model.hrry"]);

    symlink("nowhere/model.hrry", folder.path().join("dangling")).unwrap();
    let error = hurray::save(folder.path().join("dangling"), &model(1.0, 8)).unwrap_err();
    assert!(
        matches!(&error, SaveError::Io { path: Some(path), .. } if path.ends_with("dangling")),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn c07_modes_and_groups_are_those_of_any_new_file() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    const TEST: &str = "c07_modes_and_groups_are_those_of_any_new_file";
    if is_child() {
        // In the current folder, by a bare name.
        hurray::save("bare.hrry", &model(1.0, 8)).unwrap();
        hurray::save("kept.hrry", &model(1.0, 8)).unwrap();
        return;
    }
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    for (umask, expected) in [("022", 0o644), ("002", 0o664), ("077", 0o600), ("000", 0o666)] {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept.hrry");
        fs::write(&kept, "old").unwrap();
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o640)).unwrap();
        let status = as_child(TEST, &format!("umask {umask};")).current_dir(folder.path()).status().unwrap();
        assert!(status.success());
        assert_eq!(mode(&folder.path().join("bare.hrry")), expected, "umask {umask}");
        assert_eq!(mode(&kept), 0o640, "umask {umask}");
        assert_eq!(hurray::load::<M>(&kept).unwrap(), model(1.0, 8));
        assert_eq!(names_in(folder.path()), ["bare.hrry", "kept.hrry"]);
    }

    let shared = tempfile::tempdir().unwrap();
    // Only the superuser may choose any group; else the folder's own has to do.
    let _ = chown(shared.path(), None, Some(12));
    fs::set_permissions(shared.path(), fs::Permissions::from_mode(0o2775)).unwrap();
    let path = shared.path().join("model.hrry");
    hurray::save(&path, &model(1.0, 8)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().gid(), fs::metadata(shared.path()).unwrap().gid());
}

#[cfg(unix)]
#[test]
fn c08_a_killed_save_leaves_the_old_or_the_new_model() {
    use std::time::Duration;

    const TEST: &str = "c08_a_killed_save_leaves_the_old_or_the_new_model";
    const COUNT: usize = 2 << 20;
    if is_child() {
        for round in 0.. {
            SaveOptions::new().sync(false).save("model.hrry", &model([1.0, 2.0][round % 2], COUNT)).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    hurray::save(&path, &model(1.0, COUNT)).unwrap();
    for round in 0..20u64 {
        let mut child = as_child(TEST, "").current_dir(folder.path()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + round * 7919 % 60));
        child.kill().unwrap();
        child.wait().unwrap();
        let file = OpenOptions::new().validate_descriptors(true).validate_data(true).read(&path).unwrap();
        let loaded: M = file.load().unwrap();
        assert!(
            loaded.w.len() == COUNT && loaded.w.iter().all(|value| *value == loaded.w[0]),
            "round {round}"
        );
        for name in names_in(folder.path()) {
            assert!(
                name == "model.hrry" || name.starts_with(".model.hrry.tmp"),
                "leftovers tell whose they are: {name}"
            );
        }
    }
}

#[test]
fn c08_a_panic_while_saving_leaves_no_temporary_file() {
    mod exploding {
        use super::{SaveError, Saver, TensorSource};
        use hurray::ElementType;
        use hurray::descriptor::TensorDescriptor;

        pub(super) fn save<'s>(at_once: &'s bool, saver: Saver<'_, 's>) -> Result<(), SaveError> {
            assert!(!*at_once, "a hook that panics while planning");
            let descriptor = TensorDescriptor::builder(ElementType::UInt8, [4]).build()?;
            saver.tensor(&descriptor, [TensorSource::lazy(4, || panic!("a hook that panics while writing"))])
        }
    }
    #[derive(HurraySave)]
    struct Exploding {
        w: Vec<f32>,
        #[hurray(save_with = "exploding::save")]
        at_once: bool,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    hurray::save(&path, &model(1.0, 8)).unwrap();
    for at_once in [true, false] {
        let exploding = Exploding { w: vec![0.5; 1 << 20], at_once };
        let outcome = std::panic::catch_unwind(|| hurray::save(&path, &exploding));
        assert!(outcome.is_err(), "the panic is the caller's");
        assert_eq!(names_in(folder.path()), ["model.hrry"]);
        assert_eq!(hurray::load::<M>(&path).unwrap(), model(1.0, 8));
    }
}

#[test]
fn c09_a_file_that_is_cut_after_a_safe_open_keeps_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    hurray::save(&path, &model(1.0, 1 << 18)).unwrap();
    let file = File::read(&path).unwrap();
    let loaded: M = hurray::load(&path).unwrap();
    #[derive(HurrayLoad)]
    struct Shared {
        w: hurray::Tensor<f32>,
    }
    let shared: Shared = hurray::load(&path).unwrap();
    let cut = || fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
    if cfg!(unix) {
        let status = Command::new("sh").arg("-c").arg(": > \"$0\"").arg(&path).status().unwrap();
        assert!(status.success());
    } else {
        cut();
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    assert_eq!(file.load::<M>().unwrap(), model(1.0, 1 << 18));
    assert_eq!(loaded, model(1.0, 1 << 18));
    assert!(shared.w.as_slice().unwrap().iter().all(|value| *value == 1.0));
    // That `File::map` is `unsafe`, and says why: `ui/lifetime/map_is_unsafe.rs`.
}
