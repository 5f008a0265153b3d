// SPDX-License-Identifier: Apache-2.0
// tests/rust/training.rs: gradients, plans, layers, optimizers, loaders, contexts in Rust.

use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;
use tenon::{data, nn, optim, schedules, sys, Dtype, Error, Result, Status, Tensor};

fn numbers(x: &Tensor) -> Result<Vec<f32>> {
    x.to_vec::<f32>()
}

fn status_of<T>(result: Result<T>) -> Status {
    result.err().expect("the call fails").status
}

/// The words of the panic that `run` ends with.
fn panic_of(run: impl FnOnce() -> Result<()>) -> String {
    let words = catch_unwind(AssertUnwindSafe(run)).expect_err("it panics");
    words.downcast_ref::<&str>().expect("words").to_string()
}

fn temporary(name: &str) -> String {
    let folder = std::env::temp_dir();
    let file = format!("tenon_rust_{}_{name}", std::process::id());
    folder.join(file).to_str().unwrap().into()
}

// ---- Gradients ----------------------------------------------------------------------------------

#[test]
fn gradients_reach_leaves() -> Result<()> {
    let x = tenon::tensor([1.0, 2.0, 3.0])?.with_grad()?;
    assert!(x.grad()?.is_none());
    let y = tenon::sum(&(&x * (&x * &x))?).call()?;
    tenon::backward(&y).retain_graph(true).call()?;
    assert_eq!(numbers(&x.grad()?.unwrap())?, [3.0, 12.0, 27.0]);
    tenon::backward(&y).seeds(&tenon::tensor(2.0)?).call()?;
    assert_eq!(numbers(&x.grad()?.unwrap())?, [9.0, 36.0, 81.0]);
    x.set_grad(None)?;
    assert!(x.grad()?.is_none());
    assert_eq!(status_of(y.backward()), Status::GRAPH_FREED);
    let seeds = vec![tenon::tensor(10.0)?, tenon::tensor(1.0)?];
    let roots = [tenon::sum(&x).call()?, tenon::sum(&(&x * &x)?).call()?];
    tenon::backward(&roots).seeds(&seeds).call()?;
    assert_eq!(numbers(&x.grad()?.unwrap())?, [12.0, 14.0, 16.0]);
    assert_eq!(
        status_of(tenon::backward([&y, &y]).seeds(&y).call()),
        Status::ARGUMENT
    );
    tenon::no_grad(|| {
        assert!(!(&x * &x)?.requires_grad()?);
        assert!(tenon::enable_grad(|| &x * &x)?.requires_grad()?);
        Ok(())
    })?;
    assert!(!tenon::inference(|| tenon::enable_grad(|| &x * &x))?.requires_grad()?);
    assert!((&x * &x)?.requires_grad()?);
    assert!(tenon::draw(&(&x * &x)?, "dot")?.contains("tenon.mul"));
    Ok(())
}

#[test]
fn gradients_are_returned() -> Result<()> {
    let x = tenon::tensor([1.0, 2.0])?.with_grad()?;
    let other = tenon::tensor([1.0])?.with_grad()?;
    let y = tenon::sum(&(&x * (&x * &x))?).call()?;
    let first = tenon::grad(&y, [&x, &other]).create_graph(true).call()?;
    let slope = first[0].as_ref().unwrap();
    assert_eq!(numbers(slope)?, [3.0, 12.0]);
    assert!(first[1].is_none());
    let second = tenon::grad(slope, &x).seeds(&tenon::ones([2])?).call()?;
    assert_eq!(numbers(second[0].as_ref().unwrap())?, [6.0, 12.0]);
    assert!(x.grad()?.is_none());
    Ok(())
}

#[test]
fn what_a_function_returns_or_panics_with_arrives() -> Result<()> {
    let x = tenon::ones([2])?;
    let mine = || Err(Error::new(Status::DATA, "mine"));
    let failed = tenon::value_and_grad(|_| mine(), &x).call();
    assert_eq!(failed.unwrap_err().message, "mine");
    let shapes = tenon::value_and_grad(|given| &given[0] + tenon::ones([3]), &x).call();
    assert_eq!(status_of(shapes), Status::SHAPE);
    let words = panic_of(|| {
        tenon::value_and_grad(|_| panic!("boom"), &x)
            .call()
            .map(|_| ())
    });
    assert_eq!(words, "boom");
    // And a later failure is its own.
    assert_eq!(status_of(&x + tenon::ones([3])), Status::SHAPE);

    let leaf = tenon::ones([2])?.with_grad()?;
    let hook = tenon::Hook::new(&leaf, |_| panic!("boom"))?;
    assert_eq!(panic_of(|| tenon::sum(&leaf).call()?.backward()), "boom");
    hook.end()?;
    let seen = Rc::new(Cell::new(0));
    let counter = seen.clone();
    let hook = tenon::Hook::new(&leaf, move |gradient| {
        counter.set(counter.get() + 1);
        Ok(Some((gradient * 2.0)?))
    })?;
    tenon::sum(&leaf).call()?.backward()?;
    assert_eq!(
        (numbers(&leaf.grad()?.unwrap())?, seen.get()),
        (vec![2.0, 2.0], 1)
    );
    hook.end()?;
    assert_eq!(Rc::strong_count(&seen), 1); // the function is gone
    Ok(())
}

#[test]
fn a_hook_may_end_itself() -> Result<()> {
    let leaf = tenon::ones([2])?.with_grad()?;
    let own: Rc<Cell<Option<tenon::Hook>>> = Rc::default();
    let (place, words) = (own.clone(), String::from("still here"));
    let hook = tenon::Hook::new(&leaf, move |_| {
        place.take().map_or(Ok(()), tenon::Hook::end)?;
        assert_eq!(words, "still here");
        Ok(None)
    })?;
    own.set(Some(hook));
    tenon::sum(&leaf).call()?.backward()?;
    assert_eq!(numbers(&leaf.grad()?.unwrap())?, [1.0, 1.0]);
    assert_eq!(Rc::strong_count(&own), 1);
    Ok(())
}

// ---- Plans --------------------------------------------------------------------------------------

#[test]
fn plans_run_again_with_other_inputs() -> Result<()> {
    let x = tenon::ones([4])?;
    let weight = (tenon::ones([4])? * 3.0)?.with_grad()?;
    let sgd = optim::sgd([&weight]).lr(0.5).build()?;
    let (plan, loss) = tenon::capture(&x, || {
        let loss = tenon::sum(&(&weight * &x)?).call()?;
        loss.backward()?;
        sgd.step()?;
        Ok(loss)
    })?;
    assert_eq!((loss.item()?, numbers(&weight)?[0]), (12.0, 2.5));
    plan.run_with(&[&(tenon::ones([4])? * 2.0)?])?;
    assert_eq!((loss.item()?, numbers(&weight)?[0]), (20.0, 1.5));
    assert!(plan.text()?.contains("tenon.mul"));
    assert_eq!(
        status_of(plan.run_with(&[&tenon::ones([5])?])),
        Status::PLAN_SHAPE
    );
    Ok(())
}

#[test]
fn plans_are_made_for_each_kind_of_inputs() -> Result<()> {
    let runs = Cell::new(0);
    let mut doubled = tenon::Captured::new(|given| {
        runs.set(runs.get() + 1);
        given[0] * 2
    });
    let first = doubled.call(&[&tenon::ones([2])?])?;
    assert_eq!(numbers(&first)?, [2.0, 2.0]);
    doubled.call(&[&tenon::tensor([3.0, 3.0])?])?;
    assert_eq!((numbers(&first)?, runs.get()), (vec![6.0, 6.0], 1));
    assert_eq!(doubled.call(&[&tenon::ones([3])?])?.size()?, 3);
    assert_eq!(
        doubled.call(&[&tenon::tensor([1, 2])?])?.dtype()?,
        Dtype::I64
    );
    doubled.set_mode(1);
    doubled.call(&[&tenon::ones([2])?])?;
    assert_eq!((runs.get(), doubled.n_plans()), (4, 4));
    let mut part = tenon::Captured::new(|given| given[0].i(0));
    part.call(&[&tenon::ones([2])?])?;
    assert_eq!(part.call(&[&tenon::tensor([5.0, 5.0])?])?.item()?, 5.0);
    Ok(())
}

#[test]
fn a_capture_that_fails_is_dropped() -> Result<()> {
    let x = tenon::ones([4])?;
    let reads = tenon::capture(&x, || tenon::sum(&x).call()?.item());
    assert_eq!(status_of(reads), Status::CAPTURE);
    let words = panic_of(|| tenon::capture(&x, || -> Result<()> { panic!("boom") }).map(|_| ()));
    assert_eq!(words, "boom");
    assert_eq!(tenon::sum(&x).call()?.item()?, 4.0); // nothing is captured any more
    Ok(())
}

// ---- Layers and optimizers ----------------------------------------------------------------------

#[test]
fn layers_are_parts_of_layers() -> Result<()> {
    tenon::seed(3)?;
    let body = nn::linear(4, 3).build()?;
    let model = nn::sequential((body.clone(), nn::batch_norm(3))).build()?;
    model.append_as(
        "drop",
        &tenon::Layer::new("tenon.dropout", &[("p", 0.5.into())])?,
    )?;
    assert_eq!(model.forward(&tenon::ones([2, 4])?)?.shape()?, [2, 3]);
    assert_eq!(model.parameters()?.len(), 4);
    let state = model.state_dict()?;
    assert_eq!(state[0].name, "0.weight");
    assert!(!state.last().unwrap().is_parameter);
    assert_eq!(model.get("0.bias")?.handle(), body.get("bias")?.handle());

    let other = nn::sequential((nn::linear(4, 3), nn::batch_norm(3))).build()?;
    other.load_state_dict(&state)?;
    model.eval()?;
    other.eval()?;
    let x = tenon::rand([2, 4])?;
    assert_eq!(numbers(&model.forward(&x)?)?, numbers(&other.forward(&x)?)?);

    // What does not fit changes nothing.
    let before = numbers(&other.get("0.bias")?)?;
    let refused = |name: &str, values: tenon::Tensor| {
        let named = |name: &str, tensor| tenon::NamedTensor {
            name: name.into(),
            tensor,
            is_parameter: true,
        };
        let given = [named("0.bias", tenon::ones([3])?), named(name, values)];
        Ok::<_, tenon::Error>(status_of(other.load_state_dict(&given)))
    };
    assert_eq!(refused("0.weight", tenon::ones([4, 3])?)?, Status::SHAPE);
    assert_eq!(refused("weight", tenon::ones([3, 4])?)?, Status::NOT_FOUND);
    assert_eq!(numbers(&other.get("0.bias")?)?, before);

    let lstm = nn::lstm(4, 3).bias(false).build()?;
    assert_eq!(lstm.n_outputs(), 3);
    let steps = tenon::ones([5, 2, 4])?;
    assert_eq!(lstm.forward_all(&steps)?[1].shape()?, [1, 2, 3]);
    assert_eq!(status_of(lstm.forward(&steps)), Status::ARGUMENT);
    let lacking = tenon::Layer::new("tenon.linear", &[("inputs", 1.into())]);
    assert_eq!(status_of(lacking.map(|_| ())), Status::ATTRIBUTE);
    let wrong = nn::sequential((nn::linear(4, -3), nn::batch_norm(3))).build();
    assert_eq!(status_of(wrong.map(|_| ())), Status::ATTRIBUTE);
    Ok(())
}

#[test]
fn layers_are_saved_and_tied() -> Result<()> {
    let path = temporary("layer.npz");
    let (a, b) = (nn::linear(2, 2).build()?, nn::linear(2, 2).build()?);
    a.save(&path)?;
    b.load(&path)?;
    assert_eq!(numbers(&a.get("weight")?)?, numbers(&b.get("weight")?)?);
    b.share("weight", &a.get("weight")?)?;
    assert_eq!(a.get("weight")?.handle(), b.get("weight")?.handle());
    tenon::save(
        &path,
        &[
            ("first", &tenon::ones([2])?),
            ("second", &tenon::zeros([1])?),
        ],
    )?;
    let found = tenon::load(&path)?;
    assert_eq!((found.len(), &*found[0].name), (2, "first"));
    assert_eq!(numbers(&found[0].tensor)?, [1.0, 1.0]);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(status_of(tenon::load(&path).map(|_| ())), Status::IO);
    Ok(())
}

#[test]
fn files_list_what_tenon_cannot_hold() -> Result<()> {
    let path = temporary("foreign.safetensors");
    let header = concat!(
        r#"{"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},"#,
        r#""b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}"#
    );
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(b"xyz");
    std::fs::write(&path, bytes).unwrap();
    let archive = tenon::Archive::open(&path)?;
    let listed = archive.list()?;
    assert_eq!(listed[0].foreign.as_deref(), Some("F8_E4M3"));
    assert_eq!((listed[0].dtype, &*listed[0].shape), (None, &[2][..]));
    assert_eq!(
        (listed[1].dtype, &listed[1].foreign),
        (Some(Dtype::U8), &None)
    );
    assert_eq!(archive.get_bytes("a")?.to_vec::<u8>()?, b"xy");
    assert_eq!(archive.get("b")?.to_vec::<u8>()?, b"z");
    assert_eq!(status_of(archive.get("a").map(|_| ())), Status::UNSUPPORTED);
    assert_eq!(
        status_of(tenon::load(&path).map(|_| ())),
        Status::UNSUPPORTED
    );
    std::fs::remove_file(&path).unwrap();
    Ok(())
}

#[test]
fn optimizers_have_groups_and_state() -> Result<()> {
    let (slow, fast) = (
        tenon::ones([2])?.with_grad()?,
        tenon::ones([2])?.with_grad()?,
    );
    let group = |tensor: &Tensor, options| tenon::Group {
        parameters: vec![tensor.clone()],
        options,
    };
    let groups = vec![group(&slow, vec![("lr", 0.1.into())]), group(&fast, vec![])];
    let sgd = optim::sgd(groups).lr(1.0).momentum(0.9).build()?;
    assert_eq!((sgd.get_in(0, "lr")?, sgd.get("momentum")?), (0.1, 0.9));
    assert_eq!(status_of(sgd.get("lr")), Status::STATE);
    assert!(sgd.state(0, "momentum_buffer")?.is_none());
    tenon::sum(&(&slow + &fast)?).call()?.backward()?;
    sgd.step_and_keep()?;
    assert!(slow.grad()?.is_some());
    assert_eq!(numbers(&fast)?, [0.0, 0.0]);
    assert_eq!(
        numbers(&sgd.state(0, "momentum_buffer")?.unwrap())?,
        [1.0, 1.0]
    );
    sgd.set_in(1, "lr", 0.5)?;
    assert_eq!(sgd.get_in(1, "lr")?, 0.5);
    assert_eq!(status_of(sgd.set("lr", -1)), Status::ATTRIBUTE);

    tenon::sum(&(3 * &fast)?).call()?.backward()?; // 1 + 3, and 1 of the other
    let all = [slow, fast.clone(), tenon::ones([1])?];
    let norm = tenon::clip_gradients(&all, 1.0)?.item()?;
    assert!((norm - 34.0 / 5.831).abs() < 1e-2);
    assert!((numbers(&fast.grad()?.unwrap())?[0] - 4.0 / 5.831).abs() < 1e-3);

    let falls = schedules::step(1.0, 1).factor(0.5).build()?;
    assert_eq!((falls.next()?, falls.next()?), (1.0, 0.5));
    assert_eq!(
        status_of(schedules::step(1.0, 0).build().map(|_| ())),
        Status::ATTRIBUTE
    );
    Ok(())
}

// ---- Data ---------------------------------------------------------------------------------------

fn digits() -> Result<tenon::Dataset> {
    let stem = std::env::var("TENON_TEST_DATA").expect("TENON_TEST_DATA") + "/digits/train";
    let labels = format!("{stem}-labels-idx1-ubyte");
    data::idx(stem + "-images-idx3-ubyte")
        .labels(labels)
        .build()
}

/// Two epochs as a program in C reads them, without workers: the numbers of all batches.
fn epochs_in_c(set: &tenon::Dataset) -> Vec<f32> {
    let mut found = Vec::new();
    let (runtime, mut context) = (tenon::Runtime::shared().unwrap(), std::ptr::null_mut());
    let mut loader = std::ptr::null_mut();
    unsafe {
        let made = sys::tenon_context_create(runtime.handle(), std::ptr::null_mut(), &mut context);
        assert_eq!(made, sys::TENON_OK);
        let shuffle = sys::TENON_LOADER_SHUFFLE;
        let made = sys::tenon_loader_create(context, set.handle(), 100, 7, shuffle, &mut loader);
        assert_eq!(made, sys::TENON_OK);
        for epoch in 0..2 {
            assert_eq!(
                sys::tenon_loader_begin(context, loader, epoch, 0),
                sys::TENON_OK
            );
            loop {
                let (mut fields, mut n) = ([std::ptr::null_mut(); 2], 0);
                let out = fields.as_mut_ptr();
                assert_eq!(
                    sys::tenon_loader_run(context, loader, out, 2, &mut n),
                    sys::TENON_OK
                );
                if n == 0 {
                    break;
                }
                for field in fields {
                    found.extend(floats(&Tensor::adopt(field)).unwrap());
                }
            }
        }
        sys::tenon_loader_release(loader);
        sys::tenon_context_release(context);
    }
    found
}

fn floats(x: &Tensor) -> Result<Vec<f32>> {
    numbers(&x.astype(Dtype::F32)?)
}

#[test]
fn loaders_give_the_batches_of_c_with_four_workers() -> Result<()> {
    let set = digits()?;
    let mut loader = set.loader(100).shuffle(true).seed(7).workers(4).build()?;
    let mut found = Vec::new();
    for batch in loader.batches() {
        let [images, labels] = batch?;
        found.extend(floats(&images)?);
        found.extend(floats(&labels)?);
    }
    for batch in loader.pass() {
        let batch = batch?;
        assert_eq!(batch.fields[0].dim(0)?, batch.size);
        for field in &batch.fields {
            found.extend(floats(field)?);
        }
    }
    assert_eq!(loader.epoch()?, 1);
    assert!(found == epochs_in_c(&set));
    Ok(())
}

#[test]
fn loaders_put_samples_of_similar_length_together() -> Result<()> {
    let lengths = vec![9, 1, 8, 2, 7, 3, 6, 4];
    let of = |n, lengths: &[i64]| {
        let made = tenon::Loader::of_numbers(n, 2);
        made.buckets(4).lengths(lengths.to_vec()).build()
    };
    let mut loader = of(8, &lengths)?;
    let mut found = Vec::new();
    for batch in loader.batches() {
        let [samples] = batch?;
        found.extend(floats(&samples)?);
    }
    assert_eq!(found, [1.0, 3.0, 5.0, 7.0, 6.0, 4.0, 2.0, 0.0]);
    assert_eq!(loader.info()?.pool, 4);
    assert_eq!(status_of(of(9, &lengths)), Status::ARGUMENT);
    assert_eq!(status_of(of(8, &[])), Status::ARGUMENT);
    assert_eq!(status_of(digits()?.lengths()), Status::UNSUPPORTED);
    Ok(())
}

#[test]
fn loaders_have_a_place() -> Result<()> {
    let set = digits()?;
    assert_eq!(set.fields()?[0].shape, [8, 8]);
    assert_eq!(set.fields()?[1].dtype, Dtype::I64);
    assert_eq!(set.take(&[3, 1])?[1].shape()?, [2]);
    let mut loader = set
        .loader(100)
        .drop_last(true)
        .transforms([data::flatten()])
        .build()?;
    assert_eq!(
        (loader.length()?, loader.fields()?[0].shape == [64]),
        (set.size()?, true)
    );
    assert_eq!(loader.pass().count() as i64, set.size()? / 100);
    loader.start(0, set.size()? - 250)?;
    assert_eq!(loader.pass().count(), 2);
    loader.start(0, 0)?;
    for batch in loader.pass().take(3) {
        assert_eq!(batch?.size, 100);
    }
    assert_eq!(loader.position()?, 300);
    let mut wrong = loader.batches::<3>();
    assert_eq!(status_of(wrong.next().unwrap()), Status::ARGUMENT);
    assert!(wrong.next().is_none());
    assert_eq!(status_of(loader.next_batch::<1>()), Status::ARGUMENT);
    assert_eq!(status_of(loader.start(0, -1)), Status::ARGUMENT);
    assert_eq!(status_of(set.take(&[-1])), Status::ARGUMENT);
    let mut own = tenon::Loader::of_numbers(10, 4).build()?;
    for epoch in 0..2 {
        let [first] = own.next_batch()?.expect("a batch");
        assert_eq!(first.to_vec::<i64>()?, [0, 1, 2, 3]);
        while own.next_batch::<1>()?.is_some() {}
        assert_eq!(own.epoch()?, epoch);
    }
    Ok(())
}

#[test]
fn checkpoints_go_on_where_a_run_was() -> Result<()> {
    let path = temporary("run.safetensors");
    let weight = tenon::ones([2])?;
    let run = tenon::Checkpoint::new()?;
    run.set("weight", &weight)?
        .set("steps", 5)?
        .set("name", "first")?;
    assert!(!run.resume(&path)?);
    run.save(&path)?;
    weight.mul_assign(3)?;
    run.set("steps", 6)?;
    assert!(run.resume(&path)?);
    assert_eq!(numbers(&weight)?, [1.0, 1.0]);
    assert_eq!(
        (run.get("steps")?, run.get_text("name")?),
        (5.0, "first".into())
    );
    assert_eq!(status_of(run.get_text("steps")), Status::ARGUMENT);
    std::fs::remove_file(&path).unwrap();
    Ok(())
}

#[test]
fn tokenizers_encode_and_decode() -> Result<()> {
    let bytes = tenon::Tokenizer::new("tenon.bytes", &[], None)?;
    assert_eq!(bytes.decode(&tenon::tensor([104, 105])?, false)?, b"hi");
    assert_eq!(
        (bytes.info()?.size, bytes.find("A")?, bytes.token(66)?),
        (256, 65, "B".into())
    );
    let options = tenon::EncodeBatch {
        pad: Some(0),
        pad_left: true,
        ..Default::default()
    };
    let (tokens, mask) = bytes.encode_batch(&["ab", "c"], options)?;
    assert_eq!(tokens.to_vec::<i64>()?, [97, 98, 0, 99]);
    assert_eq!(mask.to_vec::<bool>()?, [true, true, false, true]);
    assert_eq!(
        status_of(bytes.decode(&tenon::tensor([999])?, false)),
        Status::DATA
    );
    let nowhere = tenon::Tokenizer::load("nowhere.pairs", &[]);
    assert_eq!(status_of(nowhere.map(|_| ())), Status::IO);
    let progress = tenon::Progress::new("epoch", 10)?;
    progress.show(5, "loss", 0.5)?;
    assert_eq!(status_of(progress.show(-1, "", 0.0)), Status::ARGUMENT);
    Ok(())
}

// ---- Contexts and runtimes ----------------------------------------------------------------------

#[test]
fn contexts_are_of_one_runtime_unless_the_program_says_otherwise() -> Result<()> {
    let here = tenon::ones([2])?;
    let own = tenon::Context::new(&tenon::Runtime::shared()?)?;
    assert_eq!(numbers(&own.enter(|| &here + 1)?)?, [2.0, 2.0]);
    let options = tenon::RuntimeOptions {
        threads: 1,
        ..Default::default()
    };
    let apart = tenon::Runtime::new(&options)?;
    let context = tenon::Context::new(&apart)?;
    let there = context.enter(|| {
        assert_eq!(tenon::stats()?.tensors, 0);
        let there = (tenon::ones([2])? + 1)?; // ops are found in this runtime
        assert_eq!(numbers(&there)?, [2.0, 2.0]);
        Ok::<_, Error>(there)
    })?;
    assert_eq!(status_of(&here + &there), Status::RUNTIME);
    assert_eq!(status_of(apart.share()), Status::STATE);
    // A panic leaves the thread's context as it was.
    let _ = catch_unwind(AssertUnwindSafe(|| context.enter(|| panic!("boom"))));
    assert_eq!(numbers(&(&here + 1)?)?, [2.0, 2.0]);
    Ok(())
}

#[test]
fn threads_have_contexts_and_streams_of_their_own() -> Result<()> {
    let draws: Vec<Vec<f32>> = std::thread::scope(|scope| {
        let draw = || numbers(&tenon::rand([4]).unwrap()).unwrap();
        let threads = [(); 3].map(|_| scope.spawn(draw));
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(draws[0] != draws[1] && draws[1] != draws[2]);
    tenon::seed(5)?;
    let first = numbers(&tenon::rand([4])?)?;
    tenon::seed(5)?;
    assert_eq!(numbers(&tenon::rand([4])?)?, first);
    let interrupter = tenon::Context::current_interrupter()?;
    std::thread::spawn(move || interrupter.interrupt())
        .join()
        .unwrap();
    assert_eq!(status_of(tenon::ones([2])), Status::INTERRUPTED);
    Ok(())
}

#[test]
fn modes_end_with_their_function() -> Result<()> {
    let zero = tenon::zeros([1])?;
    assert_eq!(
        status_of(tenon::guard_finite(|| 1.0 / &zero)),
        Status::CHECK
    );
    assert_eq!(numbers(&(1.0 / &zero)?)?, [f32::INFINITY]);
    assert_eq!(tenon::serial(|| tenon::sum(&zero).call()?.item())?, 0.0);
    let words = panic_of(|| tenon::no_grad(|| -> Result<()> { panic!("boom") }));
    assert_eq!(words, "boom");
    assert!((&zero.with_grad()? * 2.0)?.requires_grad()?);
    Ok(())
}
