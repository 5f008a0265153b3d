// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/read_steps.hpp: the steps that a tokenizer.json names.
#pragma once

#include "json_field.hpp"
#include "steps.hpp"

namespace tenon::tokenizer_json {

// Empty for null. errors  TENON_E_DATA; TENON_E_UNSUPPORTED, which lists what is known
Normalizer read_normalizer(const Field& field);
Splitter read_splitter(const Field& field);
Decoder read_decoder(const Field& field);

}  // namespace tenon::tokenizer_json
