// SPDX-License-Identifier: Apache-2.0
// examples/14_digits_rust/src/main.rs: a whole training run in Rust: the one that 09_short is in C
// and 13_digits_cpp in C++, with the same bits.
//
//   digits FOLDER EPOCHS RUN     FOLDER has the four idx files, RUN is saved at the end
use tenon::{data, nn, optim, schedules, Result};

fn open_part(stem: &str, shuffle: bool) -> Result<tenon::Loader> {
    let images = format!("{stem}-images-idx3-ubyte");
    let labels = format!("{stem}-labels-idx1-ubyte");
    let digits = data::idx(images).labels(labels).build()?;
    let pixels = (data::normalise().scale(16.0), data::flatten());
    let loader = digits.loader(32).shuffle(shuffle).seed(5);
    loader.workers(4).transforms(pixels).build()
}

fn main() -> Result<()> {
    let given: Vec<String> = std::env::args().collect();
    assert_eq!(given.len(), 4, "usage: digits FOLDER EPOCHS RUN");
    tenon::seed(5)?;
    let mut train = open_part(&format!("{}/train", given[1]), true)?;
    let mut test = open_part(&format!("{}/t10k", given[1]), false)?;
    let relu = nn::activation("tenon.relu");
    let layers = (nn::linear(64, 128), relu, nn::linear(128, 10));
    let model = nn::sequential(layers).build()?;
    let adam = optim::adam(&model).build()?;
    let cosine = schedules::cosine(0.01, 20).build()?;
    let run = tenon::Checkpoint::new()?;
    run.set("model", &model)?.set("optimizer.0", &adam)?;
    run.set("schedule", &cosine)?.set("loader", &train)?;
    for epoch in 1..=given[2].parse().expect("EPOCHS") {
        adam.set("lr", cosine.next()?)?;
        while let Some([images, labels]) = train.next_batch()? {
            let loss = tenon::softmax_cross_entropy(&model.forward(&images)?, &labels).call()?;
            loss.backward()?;
            adam.step()?;
        }
        let mut right = 0.0;
        while let Some([images, labels]) = test.next_batch()? {
            let guess = tenon::argmax(&model.forward(&images)?).axis(1).call()?;
            right += tenon::sum(&guess.eq(&labels)?).call()?.item()?;
        }
        println!("accuracy {}", right / test.length()? as f64);
        train.start(epoch, 0)?;
    }
    run.save(&given[3])
}
