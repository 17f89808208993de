//! No safe function hands out bytes of a mapped file, since nobody can promise that it stays as it is.

use hurray::{File, OpenOptions};

fn main() {
    let _ = File::map("model.hrry");
    let _ = OpenOptions::new().map("model.hrry");
    let _ = hurray::map::<()>("model.hrry");
}
