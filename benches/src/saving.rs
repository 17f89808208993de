//! W4: saving, against the bare system call.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use hurray::SaveOptions;

use crate::clock::Clock;
use crate::models::{Size, as_bytes, for_safetensors, model, weights};
use crate::race::{Race, Results};
use crate::reference::{self, Reference};

const OURS: &str = "hurray, `save`";
const OURS_DURABLE: &str = "hurray, `save` with sync (the default)";
const PLAIN: &str = "write(2) of the tensors in blocks of 1 MiB";
const SAME: &str = "write(2) of the bytes of the hurray file";
const PLAIN_DURABLE: &str = "the same, then fsync";
const SAFETENSORS: &str = "safetensors, `serialize_to_file`";

fn write_plain(path: &Path, bytes: &[u8], sync: bool) {
    let mut file = File::create(path).expect("creates");
    bytes.chunks(1 << 20).for_each(|block| file.write_all(block).expect("writes"));
    if sync {
        file.sync_all().expect("syncs");
    }
}

/// Both races: as fast as it goes, and durable.
pub(crate) fn save(folder: &Path, size: Size, rounds: usize) -> (Results, Results) {
    let (weights, names) = (weights(size), size.names());
    let model = model(size, &weights);
    let path = folder.join("saved");
    let same = SaveOptions::new().to_bytes(&model).expect("saves");
    let timed = |clock: &mut Clock, work: &dyn Fn()| {
        // Writing over a file would have to throw its pages away first.
        let _ = fs::remove_file(&path);
        clock.start();
        work();
        clock.stop();
    };
    let ours = |sync: bool| {
        SaveOptions::new().sync(sync).save(&path, &model).expect("saves");
    };
    let theirs = || {
        let tensors = for_safetensors(size, &names, &weights);
        safetensors::serialize_to_file(tensors, None, &path).expect("saves");
    };
    let hurray_io = Reference::new();
    let buffered = |sync| hurray_io.save_buffered(&path, size, &names, &weights, sync);
    let (tensors, megabytes) = (size.tensors, size.bytes() >> 20);
    let mut race = Race::new(format!("W4: save {tensors} tensors, {megabytes} MiB"));
    race.add(PLAIN, |clock| timed(clock, &|| write_plain(&path, as_bytes(&weights), false)));
    race.add(SAME, |clock| timed(clock, &|| write_plain(&path, &same, false)));
    race.add(OURS, |clock| timed(clock, &|| ours(false)));
    race.add(SAFETENSORS, |clock| timed(clock, &theirs));
    race.add_slow(reference::SAVE, |clock| timed(clock, &|| hurray_io.save(&path, size, &names, &weights)));
    race.add(reference::SAVE_BUFFERED, |clock| timed(clock, &|| buffered(false)));
    let fast = race.run(rounds);

    let mut race = Race::new(format!("W4: save {tensors} tensors, {megabytes} MiB, durably"));
    race.add(PLAIN_DURABLE, |clock| timed(clock, &|| write_plain(&path, as_bytes(&weights), true)));
    race.add(OURS_DURABLE, |clock| timed(clock, &|| ours(true)));
    race.add("safetensors, then fsync", |clock| {
        timed(clock, &|| {
            theirs();
            File::open(&path).and_then(|file| file.sync_all()).expect("syncs");
        });
    });
    race.add(reference::SAVE_DURABLE, |clock| timed(clock, &|| buffered(true)));
    let durable = race.run(rounds.div_ceil(2));
    let _ = fs::remove_file(&path);
    (fast, durable)
}

/// What was promised, and what was measured.
pub(crate) fn lines(
    large: &(Results, Results),
    small: &(Results, Results),
    tensors: usize,
) -> Vec<crate::Line> {
    use crate::Line;
    let heap = |results: &Results| results.taken(OURS).heap as f64 / 1e6;
    vec![
        Line::new("W4 1 GiB, against write(2)".into(), large.0.ratio(OURS, PLAIN), 1.05, 1.15),
        Line::new("W4 1 GiB, against safetensors".into(), large.0.ratio(OURS, SAFETENSORS), 1.0, 1.10),
        Line::new(
            "W4 small, against write(2) of the same bytes".into(),
            small.0.ratio(OURS, SAME),
            1.15,
            1.3,
        ),
        Line::new("W4 small, against safetensors".into(), small.0.ratio(OURS, SAFETENSORS), 0.92, 1.0),
        Line::new(
            format!("W4 small, heap in MB (4 MB and 400 B for each of {tensors} tensors)"),
            heap(&small.0),
            4.0 + 400e-6 * tensors as f64,
            16.0,
        ),
        Line::new(
            "W4 1 GiB durable, against write(2) and fsync".into(),
            large.1.ratio(OURS_DURABLE, PLAIN_DURABLE),
            0.9,
            1.1,
        ),
        Line::new(
            "W4 small durable, against write(2) and fsync".into(),
            small.1.ratio(OURS_DURABLE, PLAIN_DURABLE),
            1.0,
            1.3,
        ),
    ]
}
