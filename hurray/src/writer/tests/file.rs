//! Files on disk.

use std::fs;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::*;
use crate::writer::{SaveOptions, SaveReport};

fn save_with<'s>(path: &Path, source: TensorSource<'s>) -> Result<SaveReport, SaveError> {
    let options = SaveOptions::new().descriptor_table(false);
    let mut plan = options.plan()?;
    plan.push("w", &uint8(source.len()), [source])?;
    options.write_file(path, plan.seal()?)
}

fn save(path: &Path, data: &[u8]) -> SaveReport {
    save_with(path, TensorSource::Borrowed(data)).unwrap()
}

/// The data of the only tensor.
fn data(path: &Path, len: usize) -> Vec<u8> {
    fs::read(path).unwrap()[4096..][..len].to_vec()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_file_is_there_alone_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hrry");
    let report = save(&path, b"abc");
    assert_eq!(report.bytes, fs::metadata(&path).unwrap().len());
    assert_eq!(report.to_string(), format!("1 tensors, {} bytes in `{}`", report.bytes, path.display()));
    assert_eq!(names(folder.path()), ["m.hrry"]);
    assert_eq!(data(&path, 3), b"abc");
}

#[test]
fn the_longest_names_can_be_saved() {
    let folder = tempfile::tempdir().unwrap();
    let name = "\u{e9}".repeat(127);
    save(&folder.path().join(&name), b"abc");
    assert_eq!(names(folder.path()), [name]);
}

#[test]
fn who_has_the_old_file_open_keeps_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hrry");
    save(&path, &[1; 10_000]);
    let mut old = fs::File::open(&path).unwrap();
    save(&path, &[2; 100]);
    let mut bytes = Vec::new();
    old.read_to_end(&mut bytes).unwrap();
    assert!(bytes[4096..14_096] == [1; 10_000]);
    assert_eq!(data(&path, 100), [2; 100]);
}

#[test]
fn a_failing_source_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hrry");
    save(&path, b"old");
    let before = fs::read(&path).unwrap();
    let failing = TensorSource::lazy(9 << 20, || Err("no".into()));
    assert!(matches!(save_with(&path, failing), Err(SaveError::Source { .. })));
    assert_eq!(names(folder.path()), ["m.hrry"]);
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn a_panic_in_a_source_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hrry");
    save(&path, b"old");
    let before = fs::read(&path).unwrap();
    let seen = AssertUnwindSafe(folder.path());
    let panicking = TensorSource::lazy(3, || {
        let names = names(*seen);
        assert!(names.iter().any(|name| name.starts_with(".m.hrry.tmp")), "{names:?}");
        panic!("in the user's code");
    });
    let caught = catch_unwind(AssertUnwindSafe(|| save_with(&path, panicking))).unwrap_err();
    assert_eq!(caught.downcast_ref::<&str>(), Some(&"in the user's code"));
    assert_eq!(names(folder.path()), ["m.hrry"]);
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn errors_of_the_system_name_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let kind = |path: &Path| match save_with(path, TensorSource::Borrowed(b"abc")).unwrap_err() {
        SaveError::Io { path: Some(named), source } if named == path => source.kind(),
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(folder.path()), io::ErrorKind::IsADirectory);
    assert_eq!(kind(&folder.path().join("missing/m.hrry")), io::ErrorKind::NotFound);
    assert_eq!(kind(Path::new("")), io::ErrorKind::InvalidInput);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    /// Runs [`child_saves`] in a shell's child, after `setup`, in `folder`.
    fn save_in_child(folder: &Path, setup: &str, path: &str) -> String {
        let script = format!(
            "{setup}; exec \"$0\" --ignored --exact --nocapture writer::tests::file::unix::child_saves"
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .arg(std::env::current_exe().unwrap())
            .current_dir(folder)
            .env("HURRAY_TEST_SAVE", path)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    #[ignore = "run by other tests in a process of its own"]
    fn child_saves() {
        let path = PathBuf::from(std::env::var_os("HURRAY_TEST_SAVE").unwrap());
        match save_with(&path, TensorSource::Borrowed(&vec![1; 5 << 20])) {
            Ok(report) => println!("saved {report}"),
            Err(SaveError::Io { path: Some(path), source }) => {
                println!("failed {} {:?}", path.display(), source.kind());
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    #[ignore = "run by another test in a process of its own, which it kills"]
    fn child_saves_without_end() {
        let path = PathBuf::from(std::env::var_os("HURRAY_TEST_SAVE").unwrap());
        for round in 2_u8.. {
            save(&path, &vec![round; 4 << 20]);
        }
    }

    #[test]
    fn a_killed_process_leaves_an_old_or_a_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.hrry");
        save(&path, &vec![1; 4 << 20]);
        for round in 0..20 {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "writer::tests::file::unix::child_saves_without_end"])
                .env("HURRAY_TEST_SAVE", &path)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(std::time::Duration::from_millis(10 + 7 * round));
            child.kill().unwrap();
            child.wait().unwrap();
            let bytes = checked(fs::read(&path).unwrap());
            let data = &bytes[4096..][..4 << 20];
            assert!(data.iter().all(|byte| *byte == data[0]));
        }
        for name in names(folder.path()) {
            assert!(name == "m.hrry" || name.starts_with(".m.hrry.tmp"), "{name}");
        }
    }

    #[test]
    fn a_new_file_gets_the_mode_of_the_umask() {
        let folder = tempfile::tempdir().unwrap();
        for (umask, expected) in [("022", 0o644), ("027", 0o640), ("000", 0o666)] {
            // A bare name, in the current folder.
            let name = format!("{umask}.hrry");
            save_in_child(folder.path(), &format!("umask {umask}"), &name);
            assert_eq!(mode(&folder.path().join(name)), expected, "{umask}");
        }
    }

    #[test]
    fn a_replaced_file_passes_on_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.hrry");
        for expected in [0o640, 0o600, 0o666, 0o444] {
            save(&path, b"old");
            fs::set_permissions(&path, fs::Permissions::from_mode(expected)).unwrap();
            save(&path, b"new");
            assert_eq!(mode(&path), expected);
        }
    }

    #[test]
    fn the_group_follows_a_set_group_id_folder() {
        let folder = tempfile::tempdir().unwrap();
        // Only a privileged process may choose any group; without, the folder's own has to do.
        let _ = chown(folder.path(), None, Some(1));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o2755)).unwrap();
        let path = folder.path().join("m.hrry");
        save(&path, b"abc");
        assert_eq!(fs::metadata(&path).unwrap().gid(), fs::metadata(folder.path()).unwrap().gid());
    }

    #[test]
    fn symbolic_links_are_followed_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        let target = folder.path().join("a/target.hrry");
        symlink("../target.hrry", folder.path().join("a/b/second")).unwrap();
        symlink("a/b/second", folder.path().join("first")).unwrap();
        let first = folder.path().join("first");
        // At first it dangles.
        for data in [b"one", b"two"] {
            save(&first, data);
            assert_eq!(fs::read_link(&first).unwrap(), Path::new("a/b/second"));
            assert!(!fs::symlink_metadata(&target).unwrap().is_symlink());
            assert_eq!(super::data(&target, 3), data);
        }
        assert_eq!(names(&folder.path().join("a")), ["b", "target.hrry"]);
    }

    #[test]
    fn loops_of_links_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loop");
        symlink("loop", &path).unwrap();
        assert!(matches!(save_with(&path, TensorSource::Borrowed(b"abc")), Err(SaveError::Io { .. })));
        assert_eq!(names(folder.path()), ["loop"]);
    }

    #[test]
    fn a_hard_link_keeps_the_old_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("m.hrry"), folder.path().join("link"));
        save(&path, b"old");
        fs::hard_link(&path, &link).unwrap();
        save(&path, b"new");
        assert_eq!((data(&link, 3), data(&path, 3)), (b"old".to_vec(), b"new".to_vec()));
    }

    #[test]
    fn a_device_is_not_replaced() {
        let error = save_with(Path::new("/dev/null"), TensorSource::Borrowed(b"abc")).unwrap_err();
        assert!(
            matches!(error, SaveError::Io { source, .. } if source.kind() == io::ErrorKind::InvalidInput)
        );
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_full_disk_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.hrry");
        save(&path, b"old");
        let before = fs::read(&path).unwrap();
        // No file may grow past 1 MiB, which fails like a full disk does.
        let output = save_in_child(folder.path(), "trap '' XFSZ; ulimit -f 2048", "m.hrry");
        assert!(output.contains("failed m.hrry FileTooLarge"), "{output}");
        assert_eq!(names(folder.path()), ["m.hrry"]);
        assert!(fs::read(&path).unwrap() == before);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_sink_is_a_typed_error() {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        match example(FileForm::default()).write_to(full, None).unwrap_err() {
            SaveError::Io { source, .. } => assert_eq!(source.kind(), io::ErrorKind::StorageFull),
            other => panic!("{other:?}"),
        }
    }
}
