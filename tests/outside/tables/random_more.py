# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/random_more.py: random numbers, which PyTorch draws from another generator.

GENERATOR = (
    "no OpInfo of the same numbers: another generator; random123_test.py has the proof"
)
FILTERS = "no OpInfo: sampling_test.py has the filters of Hugging Face's generate"
OTHER_NUMBERS = (
    "no OpInfo of the same numbers: another generator; random_ops_test.cc has more"
)

WITHOUT = {
    "tenon.bernoulli": OTHER_NUMBERS,
    "tenon.dropout": OTHER_NUMBERS,
    "tenon.exponential": OTHER_NUMBERS,
    "tenon.filter_logits": FILTERS,
    "tenon.multinomial": OTHER_NUMBERS,
    "tenon.normal": GENERATOR,
    "tenon.orthogonal": OTHER_NUMBERS,
    "tenon.permutation": OTHER_NUMBERS,
    "tenon.random_integers": OTHER_NUMBERS,
    "tenon.repetition_penalty": FILTERS,
    "tenon.sample": FILTERS,
    "tenon.truncated_normal": OTHER_NUMBERS,
    "tenon.uniform": GENERATOR,
}
