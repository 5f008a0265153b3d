// SPDX-License-Identifier: Apache-2.0
// tests/rust/tensor.rs: tensors in Rust: making, operators, parts, memory, owners, errors.

use std::sync::Arc;
use tenon::{Dtype, Ellipsis, Error, NewAxis, Record, Result, Slice, Status, Tensor};

fn numbers(x: &Tensor) -> Result<Vec<f32>> {
    x.to_vec::<f32>()
}

fn matrix() -> Result<Tensor> {
    tenon::arange(12)?.astype(Dtype::F32)?.reshape([3, 4])
}

fn record_of<T>(result: Result<T>) -> Record {
    match result {
        Ok(_) => panic!("the call did not fail"),
        Err(error) => (*error).clone(),
    }
}

fn status_of<T>(result: Result<T>) -> Status {
    record_of(result).status
}

// ---- Making and describing ----------------------------------------------------------------------

#[test]
fn tensors_are_made_of_numbers() -> Result<()> {
    assert_eq!(tenon::tensor([1.0, 2.0])?.dtype()?, Dtype::F32);
    assert_eq!(tenon::tensor([1, 2])?.dtype()?, Dtype::I64);
    assert_eq!(tenon::tensor([true, false])?.dtype()?, Dtype::BOOL);
    let rows = tenon::tensor([[1, 2, 3], [4, 5, 6]])?;
    assert_eq!(rows.shape()?, [2, 3]);
    assert_eq!(tenon::tensor(2.5)?.ndim()?, 0);
    assert_eq!(tenon::tensor(2.5)?.item()?, 2.5);
    assert_eq!(tenon::tensor(7)?.int()?, 7);
    assert_eq!(status_of(tenon::tensor(2.5)?.int()), Status::DTYPE);
    let given = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0f64];
    let kept = Tensor::from_slice(&given, [3, 2])?;
    assert_eq!(kept.dtype()?, Dtype::F64);
    assert_eq!(kept.to_vec::<f64>()?, given);
    assert_eq!(status_of(Tensor::from_slice(&given, [3, 3])), Status::SHAPE);
    let truths = tenon::tensor([[true, false], [false, true]])?;
    assert_eq!(truths.to_vec::<bool>()?, [true, false, false, true]);
    assert_eq!(tenon::zeros([2, 0, 3])?.size()?, 0);
    assert_eq!(tenon::tensor([[0i32; 0]; 2])?.shape()?, [2, 0]);
    Ok(())
}

#[test]
fn tensors_are_described() -> Result<()> {
    let x = matrix()?.transpose(-2, -1)?;
    assert_eq!(x.shape()?, [4, 3]);
    assert_eq!(x.dim(-1)?, 3);
    assert_eq!(x.strides()?, [1, 4]);
    assert_eq!(x.size()?, 12);
    assert_eq!(x.device()?, tenon::Device::new("cpu")?);
    assert_eq!(record_of(x.dim(2)).operand, "axis");
    let text = "tensor([1., 2.], shape=[2], dtype=f32, device=cpu:0)";
    let x = tenon::tensor([1.0, 2.0])?;
    assert_eq!(
        (format!("{x}"), format!("{x:?}")),
        (text.into(), text.into())
    );
    assert!(x.details()?.contains("strides"));
    assert_eq!(format!("{} {}", x.shape()?, x.dtype()?), "[2] f32");
    let many: tenon::Ints = (0..12).collect();
    assert_eq!((many.len(), many[11], many.clone() == many), (12, 11, true));
    let wanted = &[2, 6];
    assert_eq!(matrix()?.reshape(wanted)?.shape()?, [2, 6]);
    Ok(())
}

// ---- Operators ----------------------------------------------------------------------------------

#[test]
fn tensors_have_operators() -> Result<()> {
    let (a, b) = (
        tenon::tensor([1.0, 2.0, 4.0])?,
        tenon::tensor([3.0, 2.0, 1.0])?,
    );
    assert_eq!(numbers(&(&a + &b)?)?, [4.0, 4.0, 5.0]);
    assert_eq!(numbers(&(&a - &b)?)?, [-2.0, 0.0, 3.0]);
    assert_eq!(numbers(&(2 * &a)?)?, [2.0, 4.0, 8.0]);
    assert_eq!(numbers(&(&a / 2.0)?)?, [0.5, 1.0, 2.0]);
    assert_eq!(numbers(&(1.0 / &a)?)?, [1.0, 0.5, 0.25]);
    assert_eq!(numbers(&(&a % 3)?)?, [1.0, 2.0, 1.0]);
    assert_eq!(numbers(&(-&a)?)?, [-1.0, -2.0, -4.0]);
    // Either side may be owned, and the right one a result.
    assert_eq!(numbers(&((&a * 2.0)? + &b)?)?, [5.0, 6.0, 9.0]);
    assert_eq!(numbers(&(&a + (&b * 2.0))?)?, [7.0, 6.0, 6.0]);
    assert_eq!(numbers(&((&a + 1.0)? * (&b - 1.0)?)?)?, [4.0, 3.0, 0.0]);
    assert_eq!(status_of(&a + tenon::ones([-1])), Status::SHAPE);
    let truths = |x: Tensor| x.to_vec::<bool>();
    assert_eq!(truths(a.lt(&b)?)?, [true, false, false]);
    assert_eq!(truths(a.eq(&b)?)?, [false, true, false]);
    assert_eq!(truths(a.ne(2)?)?, [true, false, true]);
    assert_eq!(truths(a.ge(2.0)?)?, [false, true, true]);
    let inside = (a.gt(1)? & a.lt(3)?)?;
    assert_eq!(truths(((!&inside)? | a.eq(&b)?)?)?, [true; 3]);
    Ok(())
}

#[test]
fn tensors_are_written_in_place() -> Result<()> {
    let x = tenon::tensor([1.0, 2.0])?;
    let same = x.clone();
    x.add_assign(1)?;
    x.mul_assign(&tenon::tensor([2.0, 3.0])?)?;
    x.sub_assign(1.0)?;
    x.div_assign(2)?;
    assert_eq!(numbers(&same)?, [1.5, 4.0]);
    assert_eq!(x.handle(), same.handle());
    let out = tenon::zeros([2])?;
    tenon::exp_into(&tenon::zeros([2])?, &out)?;
    assert_eq!(numbers(&out)?, [1.0, 1.0]);
    tenon::softmax(&tenon::zeros([2])?).call_into(&out)?;
    assert_eq!(numbers(&out)?, [0.5, 0.5]);
    Ok(())
}

#[test]
fn ops_take_named_attributes_optional_operands_and_lists() -> Result<()> {
    let x = matrix()?;
    assert_eq!(numbers(&tenon::sum(&x).axes(1).call()?)?, [6.0, 22.0, 38.0]);
    assert_eq!(
        tenon::sum(&x).axes([0, 1]).keepdims(true).call()?.shape()?,
        [1, 1]
    );
    let none = tenon::Ints::default();
    assert_eq!(tenon::sum(&x).axes(none).call()?.shape()?, [3, 4]); // no axis is summed
    assert_eq!(numbers(&tenon::clamp(&x).max(1).call()?)?[11], 1.0);
    let weight = (tenon::ones([4])? * 2.0)?;
    let normed = tenon::layer_norm(&x).weight(&weight).eps(0.0).call()?;
    let twice = (2 * tenon::layer_norm(&x).eps(0.0).call()?)?;
    assert_eq!(numbers(&normed)?, numbers(&twice)?);
    assert_eq!(tenon::concat([&x, &x]).axis(1).call()?.shape()?, [3, 8]);
    let list = vec![x.clone(), x.clone(), x.clone()];
    assert_eq!(tenon::stack(&list).call()?.shape()?, [3, 3, 4]);
    let two: Vec<&Tensor> = list.iter().take(2).collect();
    assert_eq!(tenon::stack(two).call()?.shape()?, [2, 3, 4]);
    let [values, indices] = tenon::topk(&x, 2).call()?;
    assert_eq!(values.shape()?, [3, 2]);
    assert_eq!(indices.to_vec::<i64>()?[0], 3);
    assert_eq!(x.matmul(&x.transpose(0, 1)?)?.shape()?, [3, 3]);
    Ok(())
}

#[test]
fn ops_of_any_plugin_are_called_by_name() -> Result<()> {
    let x = tenon::tensor([1.0, -2.0])?;
    let topk = tenon::Op::find("tenon.topk")?;
    let found = topk.all(&[(&x).into()], &[("k", 1.into())], 2)?;
    assert_eq!(found[1].int()?, 0);
    let relu =
        |attributes: &[(&str, tenon::Value)]| tenon::call("tenon.relu", &[(&x).into()], attributes);
    assert_eq!(numbers(&relu(&[])?)?, [1.0, 0.0]);
    assert_eq!(status_of(relu(&[("a", 1.into())])), Status::ATTRIBUTE);
    assert_eq!(
        status_of(tenon::Op::find("acme.nothing")),
        Status::NOT_FOUND
    );
    Ok(())
}

// ---- Parts --------------------------------------------------------------------------------------

#[test]
fn parts_are_taken_as_numpy_does() -> Result<()> {
    let x = matrix()?;
    assert_eq!(numbers(&x.i(1)?)?, [4.0, 5.0, 6.0, 7.0]);
    assert_eq!(x.i((-1, 2))?.item()?, 10.0);
    assert_eq!(numbers(&x.i((1.., 0))?)?, [4.0, 8.0]);
    assert_eq!(numbers(&x.i((0, 1..=2))?)?, [1.0, 2.0]);
    assert_eq!(numbers(&x.i((0, -2..=-1))?)?, [2.0, 3.0]);
    assert_eq!(numbers(&x.i((0, Slice::step(-2)))?)?, [3.0, 1.0]);
    assert_eq!(numbers(&x.i((Ellipsis, -1..))?)?, [3.0, 7.0, 11.0]);
    assert_eq!(x.i((NewAxis, Ellipsis, NewAxis))?.shape()?, [1, 3, 4, 1]);
    let (rows, columns) = (tenon::tensor([2, -3])?, tenon::tensor([[0], [-1]])?);
    assert_eq!(
        numbers(&x.i(&rows)?)?,
        [8.0, 9.0, 10.0, 11.0, 0.0, 1.0, 2.0, 3.0]
    );
    assert_eq!(numbers(&x.i((&rows, &columns))?)?, [8.0, 0.0, 11.0, 3.0]);
    assert_eq!(numbers(&x.i(&x.gt(9)?)?)?, [10.0, 11.0]);
    let cube = tenon::arange(24)?.reshape([2, 3, 4])?;
    assert_eq!(cube.i((.., &rows, &rows))?.shape()?, [2, 2]);
    assert_eq!(
        cube.i((&tenon::tensor([1, -1])?, .., &rows))?.shape()?,
        [2, 3]
    );
    let pairs = tenon::tensor([[0, 1], [2, 0], [1, 1]])?;
    assert_eq!(cube.i((.., &pairs))?.shape()?, [2, 3, 2, 4]);
    assert_eq!(cube.i((1, &rows, 0))?.shape()?, [2]);
    Ok(())
}

#[test]
fn parts_are_written() -> Result<()> {
    let x = tenon::zeros([3, 4])?;
    x.set(1, 2)?;
    x.set((0, Slice::step(2)), &tenon::tensor([5, 6])?)?; // i64 is cast
    let (rows, columns) = (tenon::tensor([2, 2])?, tenon::tensor([0, 3])?);
    x.set((&rows, &columns), &tenon::tensor([7.0, 8.0])?)?;
    assert_eq!(
        numbers(&x)?,
        [5., 0., 6., 0., 2., 2., 2., 2., 7., 0., 0., 8.]
    );
    x.set(&x.gt(4)?, -1.0)?;
    assert_eq!(
        numbers(&x)?,
        [-1., 0., -1., 0., 2., 2., 2., 2., -1., 0., 0., -1.]
    );
    let cube = tenon::zeros([2, 3, 4])?;
    cube.set(
        (.., &tenon::tensor([0, 2])?, 1),
        &tenon::tensor([[1, 2], [3, 4]])?,
    )?;
    assert_eq!(
        numbers(&cube.i((.., .., 1))?)?,
        [1.0, 0.0, 2.0, 3.0, 0.0, 4.0]
    );
    Ok(())
}

#[test]
fn wrong_parts_are_refused() -> Result<()> {
    let x = matrix()?;
    let far = record_of(x.i((0, 4)));
    assert_eq!((&*far.operand, &*far.expected), ("axis 0", "-4 to 3"));
    assert_eq!(record_of(x.i((0, 0, 0))).expected, "at most 2");
    assert_eq!(record_of(x.i(Slice::step(0))).operand, "slice");
    assert_eq!(status_of(x.i(&tenon::tensor([0.5])?)), Status::DTYPE);
    assert_eq!(
        record_of(x.i(&tenon::tensor([true, false])?)).operand,
        "mask"
    );
    assert_eq!(
        record_of(x.i((Ellipsis, Ellipsis))).expected,
        "one ellipsis"
    );
    Ok(())
}

// ---- Memory -------------------------------------------------------------------------------------

#[test]
fn memory_is_seen_with_its_strides() -> Result<()> {
    let x = matrix()?;
    let turned = x.transpose(0, 1)?.host::<f32>()?;
    assert_eq!(
        (turned.shape(), turned.strides()),
        (&[4, 3][..], &[1, 4][..])
    );
    assert_eq!(
        (turned.get([3, 1]), turned.get([4, 0]), turned.get([1])),
        (Some(7.0), None, None)
    );
    assert_eq!(
        turned.iter().take(4).collect::<Vec<_>>(),
        [0.0, 4.0, 8.0, 1.0]
    );
    assert_eq!(
        status_of(x.transpose(0, 1)?.host_mut::<f32>()?.cells()),
        Status::LAYOUT
    );
    let elements = x.host_mut::<f32>()?;
    for cell in elements.cells()? {
        cell.set(cell.get() + 1.0);
    }
    assert!(elements.set([2, 3], 0.0) && !elements.set([3, 0], 0.0));
    assert_eq!((x.i((0, 0))?.item()?, x.i((2, 3))?.item()?), (1.0, 0.0));
    assert_eq!(status_of(x.host::<f64>().map(|_| ())), Status::DTYPE);
    assert_eq!(status_of(x.to_vec::<f64>()), Status::DTYPE);
    let leaf = tenon::ones([2])?.with_grad()?;
    assert_eq!(status_of(leaf.host_mut::<f32>().map(|_| ())), Status::ALIAS);
    assert_eq!(leaf.host::<f32>()?.size(), 2);
    assert_eq!(tenon::zeros([2, 0])?.host_mut::<f32>()?.cells()?.len(), 0);
    Ok(())
}

#[test]
fn memory_of_the_program_is_taken_over() -> Result<()> {
    let given = vec![1i32, 2, 3, 4, 5, 6];
    let place = given.as_ptr();
    let x = Tensor::from_vec(given, [2, 3])?;
    assert_eq!(x.to_vec::<i32>()?, [1, 2, 3, 4, 5, 6]);
    assert_eq!(x.host_mut::<i32>()?.cells()?.as_ptr().cast(), place);
    assert_eq!(record_of(Tensor::from_vec(vec![1.0f32], [2])).found, "1");
    let y = tenon::zeros([2])?;
    y.copy_from(&[3.0f32, 4.0])?;
    assert_eq!(numbers(&y)?, [3.0, 4.0]);
    assert_eq!(status_of(y.copy_from(&[1.0f32])), Status::SHAPE);
    Ok(())
}

#[test]
fn frozen_numbers_go_to_other_threads() -> Result<()> {
    let x = matrix()?;
    let place = x.host::<f32>()?.get([1, 1]);
    let frozen = Arc::new(x.freeze()?);
    let there = frozen.clone();
    let sums = std::thread::spawn(move || -> Result<f64> {
        let x = there.tensor()?;
        assert_eq!(status_of(x.add_assign(1)), Status::ALIAS);
        tenon::sum(&x).call()?.item()
    });
    assert_eq!(sums.join().unwrap()?, 66.0);
    assert_eq!(frozen.tensor()?.host::<f32>()?.get([1, 1]), place);
    assert_eq!((frozen.shape(), frozen.dtype()), (&[3, 4][..], Dtype::F32));
    // What another handle could write is copied first.
    let other = tenon::ones([2])?;
    let part = other.i(0..1)?.freeze()?;
    other.add_assign(1)?;
    assert_eq!(part.tensor()?.item()?, 1.0);
    let (plan, doubled) = tenon::capture(&other, || &other * 2)?;
    let doubled = doubled.freeze()?;
    plan.run_with(&[&tenon::zeros([2])?])?;
    assert_eq!(numbers(&doubled.tensor()?)?, [4.0, 4.0]);
    assert_eq!(tenon::zeros([0])?.freeze()?.tensor()?.size()?, 0);
    Ok(())
}

// ---- Errors -------------------------------------------------------------------------------------

#[test]
fn errors_carry_the_whole_record() -> Result<()> {
    let (a, b) = (tenon::ones([2, 3])?, tenon::ones([4])?);
    let found = record_of(tenon::scope("step", || tenon::scope("encoder", || &a + &b)));
    assert_eq!(found.status, Status::SHAPE);
    assert_eq!((&*found.op, &*found.operand), ("tenon.add", "b"));
    assert_eq!(found.expected, "a shape that broadcasts with [2,3]");
    assert_eq!((&*found.found, &*found.scope), ("f32[4]", "step/encoder"));
    assert_eq!(
        found.hint,
        "sizes must be equal or 1, counted from the last dimension"
    );
    assert!(found.message.contains("tenon.add: operand \"b\""));
    assert!(found.sequence > 0 && found.causes.is_empty());

    let missing = record_of(tenon::data::idx("nowhere").build());
    assert_eq!(
        (missing.status, &*missing.plugin),
        (Status::IO, "tenon.data")
    );
    assert_eq!(record_of(tenon::Device::new("cuda:x")).found, "cuda:x");
    assert_eq!(
        status_of(tenon::Device::new("no_such_device")),
        Status::NOT_FOUND
    );
    let check = "no_such_mode".into();
    let options = tenon::RuntimeOptions {
        check,
        ..Default::default()
    };
    assert_eq!(status_of(tenon::Runtime::new(&options)), Status::ARGUMENT);
    Ok(())
}

#[test]
fn errors_are_printed_whole() -> Result<()> {
    let (a, b) = (tenon::ones([2, 3])?, tenon::ones([4])?);
    let error: Error = (&a + &b).unwrap_err();
    let text = "tenon.add: operand \"b\": [4] does not broadcast with [2,3], the shape of the \
                operands before it\n  status    TENON_E_SHAPE\n  op        tenon.add\n  operand   b\
                \n  expected  a shape that broadcasts with [2,3]\n  found     f32[4]\n  hint      \
                sizes must be equal or 1, counted from the last dimension";
    assert_eq!(
        (format!("{error}"), format!("{error:?}")),
        (text.into(), text.into())
    );
    let any: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert!(any.to_string().starts_with("tenon.add"));
    assert_eq!(Status(12345).to_string(), "status 12345");
    Ok(())
}
