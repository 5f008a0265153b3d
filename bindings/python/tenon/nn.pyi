# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/nn.pyi: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from tenon import Dtype, Tensor

class Layer:
    """A layer of the registry."""

    def __call__(self, *inputs: Any) -> Any:
        """What the layer computes: a tensor, or a tuple of as many as it gives."""
        ...
    def __getitem__(self, place: Any) -> Any: ...
    def __init__(self, name: Any, *children: Any, device: Any = ..., **options: Any) -> None: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> Any: ...
    def append(self, child: Any, name: Any = ...) -> Any:
        """Adds a layer to a container, `tenon.nn.sequential`."""
        ...
    def apply(self, function: Any) -> Any:
        """Calls function(module) with everything that is in it, itself last."""
        ...
    def buffers(self) -> Any:
        """The state that is not trained."""
        ...
    def children(self) -> Any:
        """The layers and modules that it holds itself."""
        ...
    def crop_cache(self, count: Any = ...) -> Any:
        """Each sequence keeps at most its first `count` positions; 0 empties the caches."""
        ...
    def eval(self) -> Any:
        """As `train(False)`: dropout keeps everything, batch_norm uses what it has seen."""
        ...
    def load_state_dict(self, saved: Any, strict: Any = ...) -> Any:
        """Takes the values of tensors by name."""
        ...
    def modules(self) -> Any:
        """Itself, and all layers and modules that are in it."""
        ...
    def named_buffers(self) -> Any:
        """[(name, tensor), ...] of the state that is not trained."""
        ...
    def named_children(self) -> Any:
        """[(name, layer), ...] of a container."""
        ...
    def named_modules(self, prefix: Any = ...) -> Any:
        """[(name, layer or module), ...]: itself, '', and all that is in it."""
        ...
    def named_parameters(self) -> Any:
        """[(name, tensor), ...] of all that is trained; what is held twice is there once."""
        ...
    def parameters(self) -> Any:
        """The tensors that are trained."""
        ...
    def requires_grad_(self, wanted: Any = ...) -> Any:
        """Whether the parameters are trained."""
        ...
    def set_cache(self, batch: Any = ..., positions: Any = ...) -> Any:
        """Gives layers with attention room for `batch` sequences of at most `positions` positions, and forgets what they kept."""
        ...
    def state_dict(self) -> Any:
        """All tensors by name, detached: for `tenon.save`."""
        ...
    def to(self, device: Any) -> Any:
        """Moves the layer and all that is in it, as 'cuda' or 'cpu:0'."""
        ...
    def train(self, wanted: Any = ...) -> Any:
        """Training, or evaluation, for the layer and all that is in it."""
        ...
    def zero_grad(self) -> Any:
        """Drops the gradients of all parameters."""
        ...
    def __setattr__(self, name: _b.str, value: Any) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...


class Module:
    """A model written in Python: write `forward`, and hold the parts in attributes."""

    def __call__(self, *inputs: Any, **named: Any) -> Any: ...
    def apply(self, function: Any) -> Any:
        """Calls function(module) with everything that is in it, itself last."""
        ...
    def buffers(self) -> Any:
        """The state that is not trained."""
        ...
    def children(self) -> Any:
        """The layers and modules that it holds itself."""
        ...
    def crop_cache(self, count: Any = ...) -> Any:
        """Each sequence keeps at most its first `count` positions; 0 empties the caches."""
        ...
    def eval(self) -> Any:
        """As `train(False)`: dropout keeps everything, batch_norm uses what it has seen."""
        ...
    forward: Callable[..., Any]
    def load_state_dict(self, saved: Any, strict: Any = ...) -> Any:
        """Takes the values of tensors by name."""
        ...
    def modules(self) -> Any:
        """Itself, and all layers and modules that are in it."""
        ...
    def named_buffers(self) -> Any:
        """[(name, tensor), ...] of the state that is not trained."""
        ...
    def named_children(self) -> Any:
        """[(name, layer or module), ...] that it holds itself."""
        ...
    def named_modules(self, prefix: Any = ...) -> Any:
        """[(name, layer or module), ...]: itself, '', and all that is in it."""
        ...
    def named_parameters(self) -> Any:
        """[(name, tensor), ...] of all that is trained; what is held twice is there once."""
        ...
    def parameters(self) -> Any:
        """The tensors that are trained."""
        ...
    def register_buffer(self, name: Any, tensor: Any) -> Any:
        """An attribute that is part of the state and not trained."""
        ...
    def requires_grad_(self, wanted: Any = ...) -> Any:
        """Whether the parameters are trained."""
        ...
    def set_cache(self, batch: Any = ..., positions: Any = ...) -> Any:
        """Gives layers with attention room for `batch` sequences of at most `positions` positions, and forgets what they kept."""
        ...
    def state_dict(self) -> Any:
        """All tensors by name, detached: for `tenon.save`."""
        ...
    def to(self, device: Any) -> Any:
        """Moves the layers of the registry that are in it (Layer.to)."""
        ...
    def train(self, wanted: Any = ...) -> Any:
        """Training, or evaluation, for the module and all that is in it."""
        ...
    def zero_grad(self) -> Any:
        """Drops the gradients of all parameters."""
        ...
    def __setattr__(self, name: _b.str, value: Any) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...

def activation(*, op: _b.str, device: _b.str | None = None) -> Layer:
    """An op of one tensor as a layer without parameters, for containers: `y = op(x)`."""
    ...
def adaptive_avg_pool(*, output_size: Sequence[_b.int], device: _b.str | None = None) -> Layer:
    """The image cut into `output_size` windows, and the mean of each, for each channel: the op `tenon.adaptive_avg_pool`."""
    ...
def avg_pool(
    *,
    kernel_size: Sequence[_b.int],
    stride: Sequence[_b.int] = ...,
    padding: Sequence[_b.int] = ...,
    ceil_mode: _b.bool = ...,
    count_include_pad: _b.bool = ...,
    auto_pad: _b.str = ...,
    device: _b.str | None = None,
) -> Layer:
    """The mean of each window, for each channel: the op `tenon.avg_pool`."""
    ...
def batch_norm(
    *,
    features: _b.int,
    eps: _b.float = ...,
    momentum: _b.float = ...,
    affine: _b.bool = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Mean 0 and variance 1 of each channel over all other dimensions of the batch, then a weight (1 at first) and a bias (0 at first): x [N,C,...]: y = (x - m) / sqrt(v + eps) * weight + bias In training `m` and `v` are those of the batch, and the buffers `running_mean` and `running_var` (of the unbiased variance) take `momentum` of them; in evaluation they are the buffers."""
    ...
def conv(
    *,
    in_channels: _b.int,
    out_channels: _b.int,
    kernel_size: Sequence[_b.int],
    stride: Sequence[_b.int] = ...,
    padding: Sequence[_b.int] = ...,
    dilation: Sequence[_b.int] = ...,
    groups: _b.int = ...,
    bias: _b.bool = ...,
    auto_pad: _b.str = ...,
    init: _b.str = ...,
    gain: _b.float = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Windows of an image, each times a weight and summed up, and a bias: the op `tenon.conv`, a convolution over as many dimensions as `kernel_size` has numbers, 1 to 3."""
    ...
def dropout(*, p: _b.float = ..., device: _b.str | None = None) -> Layer:
    """In training the op `tenon.dropout`: elements become 0 with probability `p`, and the others are divided by `1 - p`."""
    ...
def dropout_channels(*, p: _b.float = ..., device: _b.str | None = None) -> Layer:
    """In training whole channels of samples become 0 with probability `p`, and the others are divided by `1 - p`."""
    ...
def embedding(
    *,
    rows: _b.int,
    width: _b.int,
    init: _b.str = ...,
    gain: _b.float = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """A table whose rows are looked up: `y[i] = weight[x[i]]`, the op `tenon.embedding`."""
    ...
def flatten(
    *,
    start_axis: _b.int = ...,
    end_axis: _b.int = ...,
    device: _b.str | None = None,
) -> Layer:
    """x with the dimensions from `start_axis` to `end_axis` merged into one, by default all but the first: the op `tenon.flatten`, between convolutions and a linear layer."""
    ...
def group_norm(
    *,
    groups: _b.int,
    channels: _b.int,
    eps: _b.float = ...,
    affine: _b.bool = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Mean 0 and variance 1 of each group of channels of each sample, then a weight (1 at first) and a bias (0 at first) for each channel: the op `tenon.group_norm`, the same in training and in evaluation."""
    ...
def gru(
    *,
    inputs: _b.int,
    hidden: _b.int,
    layers: _b.int = ...,
    bias: _b.bool = ...,
    batch_first: _b.bool = ...,
    dropout: _b.float = ...,
    bidirectional: _b.bool = ...,
    reset_after: _b.bool = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Layers of gated recurrent units over sequences, of which the op `tenon.gru` is one."""
    ...
def gru_cell(
    *,
    inputs: _b.int,
    hidden: _b.int,
    bias: _b.bool = ...,
    reset_after: _b.bool = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """One step of `tenon.gru` with one layer: the op `tenon.gru_cell`."""
    ...
def instance_norm(
    *,
    channels: _b.int,
    eps: _b.float = ...,
    affine: _b.bool = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Mean 0 and variance 1 of each channel of each sample, and with `affine` a weight (1 at first) and a bias (0 at first) for each channel: the op `tenon.instance_norm`, the same in training and in evaluation."""
    ...
def layer_norm(
    *,
    sizes: Sequence[_b.int],
    eps: _b.float = ...,
    affine: _b.bool = ...,
    bias: _b.bool = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Mean 0 and variance 1 over the last dimensions, then a weight and a bias: the op `tenon.layer_norm`."""
    ...
def linear(
    *,
    inputs: _b.int,
    outputs: _b.int,
    bias: _b.bool = ...,
    init: _b.str = ...,
    gain: _b.float = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """A matrix and a bias: `y = x weight^T + bias`, the op `tenon.linear`."""
    ...
def lstm(
    *,
    inputs: _b.int,
    hidden: _b.int,
    layers: _b.int = ...,
    bias: _b.bool = ...,
    batch_first: _b.bool = ...,
    dropout: _b.float = ...,
    bidirectional: _b.bool = ...,
    projection: _b.int = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Layers of long short-term memory over sequences, of which the op `tenon.lstm` is one."""
    ...
def lstm_cell(
    *,
    inputs: _b.int,
    hidden: _b.int,
    bias: _b.bool = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """One step of `tenon.lstm` with one layer: the op `tenon.lstm_cell`."""
    ...
def max_pool(
    *,
    kernel_size: Sequence[_b.int],
    stride: Sequence[_b.int] = ...,
    padding: Sequence[_b.int] = ...,
    dilation: Sequence[_b.int] = ...,
    ceil_mode: _b.bool = ...,
    auto_pad: _b.str = ...,
    device: _b.str | None = None,
) -> Layer:
    """The greatest number of each window, for each channel: the op `tenon.max_pool`."""
    ...
def multi_head_attention(
    *,
    width: _b.int,
    heads: _b.int,
    kv_heads: _b.int = ...,
    head_width: _b.int = ...,
    memory_width: _b.int = ...,
    bias: _b.bool = ...,
    packed: _b.bool = ...,
    causal: _b.bool = ...,
    window: _b.int = ...,
    soft_cap: _b.float = ...,
    dropout: _b.float = ...,
    qk_norm: _b.bool = ...,
    qk_eps: _b.float = ...,
    positions: _b.int = ...,
    rope_base: _b.float = ...,
    rope_layout: _b.str = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Attention of several heads, between matrices that make queries, keys and values of rows and one that joins what the heads give: the op `tenon.attention`."""
    ...
def positions(
    *,
    rows: _b.int,
    width: _b.int,
    kind: _b.str = ...,
    base: _b.float = ...,
    init: _b.str = ...,
    gain: _b.float = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Tells rows of sequences apart by their positions: a row of a table is added to each."""
    ...
def residual(
    *children: Any,
    shortcut: _b.bool = ...,
    activation: _b.str = ...,
    device: _b.str | None = None,
) -> Layer:
    """Its children one after the other, as in `tenon.sequential`, and `x` added to what they give; then an activation: y = activation(branch(x) + x) shortcut=false y = activation(branch(x) + shortcut(x)) shortcut=true: the last child is the shortcut A container: the program adds the children."""
    ...
def rms_norm(
    *,
    sizes: Sequence[_b.int],
    eps: _b.float = ...,
    affine: _b.bool = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Mean square 1 over the last dimensions, then a weight: the op `tenon.rms_norm`."""
    ...
def rnn(
    *,
    inputs: _b.int,
    hidden: _b.int,
    layers: _b.int = ...,
    bias: _b.bool = ...,
    batch_first: _b.bool = ...,
    dropout: _b.float = ...,
    bidirectional: _b.bool = ...,
    activation: _b.str = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """Layers of plain recurrent units over sequences, of which the op `tenon.rnn` is one."""
    ...
def rnn_cell(
    *,
    inputs: _b.int,
    hidden: _b.int,
    bias: _b.bool = ...,
    activation: _b.str = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """One step of `tenon.rnn` with one layer: the op `tenon.rnn_cell`."""
    ...
def sequential(*children: Any, device: _b.str | None = None) -> Layer:
    """Its children one after the other, each called with what the one before gave."""
    ...
def sync_batch_norm(
    *,
    features: _b.int,
    eps: _b.float = ...,
    momentum: _b.float = ...,
    affine: _b.bool = ...,
    dtype: Dtype = ...,
    group: _b.int = ...,
    device: _b.str | None = None,
) -> Layer:
    """`tenon.batch_norm` over the batches of all processes of a group: in training mean and variance of a channel are those of all of them, and so are the running ones, in every process."""
    ...
def transformer_block(
    *,
    width: _b.int,
    heads: _b.int,
    hidden: _b.int,
    activation: _b.str = ...,
    norm: _b.str = ...,
    norm_first: _b.bool = ...,
    eps: _b.float = ...,
    bias: _b.bool = ...,
    dropout: _b.float = ...,
    kv_heads: _b.int = ...,
    head_width: _b.int = ...,
    packed: _b.bool = ...,
    causal: _b.bool = ...,
    window: _b.int = ...,
    soft_cap: _b.float = ...,
    qk_norm: _b.bool = ...,
    positions: _b.int = ...,
    rope_base: _b.float = ...,
    rope_layout: _b.str = ...,
    dtype: Dtype = ...,
    device: _b.str | None = None,
) -> Layer:
    """One layer of a transformer: attention of several heads, then a layer of hidden units, each with a norm and `x` added to what it gives."""
    ...
