# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/attention.py: attention beside PyTorch's scaled_dot_product_attention.

import torch
from opinfo_table import CALLED_FOR_GRADIENT, Entry, Row, call

SCORES = (
    "PyTorch scales q and k before their product, and joins blocks of keys; scores of its samples "
    "reach hundreds, and exp makes their last digits those of the weights"
)


def attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    is_mask = attn_mask is not None and attn_mask.dtype == torch.bool
    return call(
        query,
        key,
        value,
        attn_mask if is_mask else None,
        None if is_mask else attn_mask,
        causal=is_causal,
        scale=scale,
        lacks={"another rank than 4": query.dim() != 4, "dropout": dropout_p > 0},
    )


TABLE = {
    "tenon.attention": Entry(
        [Row("nn.functional.scaled_dot_product_attention", attention)],
        128,
        64,
        SCORES,
        sums=True,
    ),
}

WITHOUT = {
    "tenon.attention_grad": CALLED_FOR_GRADIENT.format("attention"),
    "tenon.attention_weights": "no OpInfo: tests/python/test_attention.py makes attention of them",
    "tenon.attention_mask": "no OpInfo: what attention asks which keys are seen",
    "tenon.cache_append": "no OpInfo: ONNX TensorScatter; tests/python/test_cache.py",
}
