// SPDX-License-Identifier: Apache-2.0
// plugins/sentencepiece/model_file.hpp: what a .model file says, checked before the library sees
// any of it. The library trusts its files: it reads past arrays, recurses as deep as a piece is
// long, and ends the process where something cannot be. So it is given a file that is written anew
// of what was understood here.
//
// Field numbers are those of sentencepiece_model.proto, version 0.1.97. Fields of training are left
// out, and so are the samples of the self-test, which the library prints when they differ.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tenon/sdk/plugin/charsmap.hpp>
#include <tenon/sdk/plugin/utf8.hpp>
#include <unordered_set>
#include <vector>

#include "wire.hpp"

namespace tenon::sentencepiece {

// Above all models there are by far; the library's memory and stack grow with them.
inline constexpr size_t kMaxFileBytes = size_t{64} << 20;
inline constexpr size_t kMaxPieces = size_t{1} << 21;
inline constexpr size_t kLongestPiece = 1024;
// The library keeps so many matches of user defined symbols at one place, and reads as many as
// there are.
inline constexpr size_t kMaxSymbolMatches = 64;

enum class PieceType : uint32_t { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

struct Piece {
  std::string_view text;
  float score = 0;
  PieceType type = PieceType::kNormal;

  // The library keeps these apart: a spelling may stand once among them and once elsewhere.
  bool is_reserved() const {
    return type == PieceType::kUnknown || type == PieceType::kControl || type == PieceType::kByte;
  }
};

// Of the normaliser, or of the denormaliser.
class Rules {
 public:
  void read(std::string_view message) {
    for (Fields fields(message); !fields.empty();) {
      const Field field = fields.next();
      if (field.number == 2) charsmap_ = bytes_of(field);
      if (field.number >= 3 && field.number <= 5) flags_[field.number - 3] = varint_of(field) != 0;
    }
  }
  void check() { growth_ = sdk::Charsmap(charsmap_).growth(); }
  uint64_t growth() const { return growth_; }

  std::string text() const {
    Message message;
    if (!charsmap_.empty()) message.bytes(2, charsmap_);
    for (uint32_t i = 0; i < flags_.size(); ++i) message.number(3 + i, flags_[i] ? 1 : 0);
    return message.text();
  }

 private:
  std::string_view charsmap_;
  std::array<bool, 3> flags_ = {true, true, true};  // prefix, extra spaces away, spaces escaped
  uint64_t growth_ = 1;
};

class ModelFile {
 public:
  // Points into `bytes`.
  // errors   TENON_E_DATA, TENON_E_UNSUPPORTED
  explicit ModelFile(std::string_view bytes) {
    if (bytes.size() > kMaxFileBytes) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "the model is too large", "file",
                         "at most " + std::to_string(kMaxFileBytes) + " bytes",
                         std::to_string(bytes.size())};
    }
    for (Fields fields(bytes); !fields.empty();) {
      const Field field = fields.next();
      if (field.number == 1) read_piece(bytes_of(field));
      if (field.number == 2) read_trainer(bytes_of(field));
      if (field.number == 3) normaliser_.read(bytes_of(field));
      if (field.number == 5) denormaliser_.emplace_back().read(bytes_of(field));
    }
    check_pieces();
    check_symbols();
    normaliser_.check();
    if (denormaliser_.size() > 1) refuse_file("there are two denormalisers");
    for (Rules& rules : denormaliser_) rules.check();
  }

  const std::vector<Piece>& pieces() const { return pieces_; }
  uint64_t growth() const { return normaliser_.growth(); }

  std::string text() const {
    Message message;
    for (const Piece& piece : pieces_) {
      Message one;
      one.bytes(1, piece.text);
      one.real(2, piece.score);
      one.number(3, static_cast<uint64_t>(piece.type));
      message.bytes(1, one.text());
    }
    Message trainer;
    trainer.number(kModelType, model_type_);
    trainer.number(kSuffix, treats_space_as_suffix_ ? 1 : 0);
    trainer.number(kByteFallback, has_byte_fallback_ ? 1 : 0);
    for (uint32_t i = 0; i < names_.size(); ++i) {
      if (names_[i]) trainer.bytes(kFirstName + i, *names_[i]);
    }
    message.bytes(2, trainer.text());
    message.bytes(3, normaliser_.text());
    for (const Rules& rules : denormaliser_) message.bytes(5, rules.text());
    return message.text();
  }

 private:
  enum TrainerField : uint32_t {
    kModelType = 3,
    kSuffix = 24,
    kByteFallback = 35,
    kFirstName = 44,  // unk_surface, then unk_piece, bos_piece, eos_piece, pad_piece
  };

  static std::string at(size_t token) { return "piece " + std::to_string(token) + ": "; }

  void read_piece(std::string_view message) {
    if (pieces_.size() == kMaxPieces) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "the model has too many pieces", "file",
                         "at most " + std::to_string(kMaxPieces)};
    }
    Piece piece;
    for (Fields fields(message); !fields.empty();) {
      const Field field = fields.next();
      if (field.number == 1) piece.text = bytes_of(field);
      if (field.number == 2) piece.score = float_of(field);
      if (field.number == 3) {
        piece.type = static_cast<PieceType>(one_to(varint_of(field), 6, "a piece's type"));
      }
    }
    pieces_.push_back(piece);
  }

  void read_trainer(std::string_view message) {
    for (Fields fields(message); !fields.empty();) {
      const Field field = fields.next();
      if (field.number == kModelType) {
        model_type_ = one_to(varint_of(field), 4, "the model's type");
      }
      if (field.number == kSuffix) treats_space_as_suffix_ = varint_of(field) != 0;
      if (field.number == kByteFallback) has_byte_fallback_ = varint_of(field) != 0;
      if (field.number >= kFirstName && field.number < kFirstName + names_.size()) {
        const std::string_view name = bytes_of(field);
        check_text(name, "the name of a special piece: ");
        names_[field.number - kFirstName] = name;
      }
    }
  }

  static uint64_t one_to(uint64_t number, uint64_t last, const std::string& what) {
    if (number >= 1 && number <= last) return number;
    throw sdk::Failure{TENON_E_UNSUPPORTED, what + " is not known", "file",
                       "1 to " + std::to_string(last), std::to_string(number)};
  }

  static void check_text(std::string_view text, const std::string& where) {
    if (text.size() > kLongestPiece) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, where + "it is too long", "file",
                         "at most " + std::to_string(kLongestPiece) + " bytes",
                         std::to_string(text.size())};
    }
    if (text.find('\0') != std::string_view::npos) refuse_file(where + "it has a NUL");
    if (sdk::utf8_until(text) != text.size()) refuse_file(where + "it is not UTF-8");
  }

  void check_pieces() const {
    std::unordered_set<std::string_view> seen[2];
    size_t unknown = 0;
    size_t bytes = 0;
    for (size_t token = 0; token < pieces_.size(); ++token) {
      const Piece& piece = pieces_[token];
      if (piece.text.empty()) refuse_file(at(token) + "it is empty");
      check_text(piece.text, at(token));
      if (!std::isfinite(piece.score)) refuse_file(at(token) + "its score is not a number");
      if (!seen[piece.is_reserved()].insert(piece.text).second) {
        refuse_file(at(token) + "it is there already");
      }
      unknown += piece.type == PieceType::kUnknown ? 1 : 0;
      if (piece.type != PieceType::kByte) continue;
      if (!is_byte(piece.text)) refuse_file(at(token) + "it is no byte", "<0x00> to <0xFF>");
      bytes += 1;
    }
    if (unknown != 1) {
      refuse_file("the pieces for what is unknown", "one", std::to_string(unknown));
    }
    const size_t wanted = has_byte_fallback_ ? 256 : 0;
    if (bytes != wanted) {
      refuse_file("the pieces for bytes", std::to_string(wanted), std::to_string(bytes));
    }
  }

  static bool is_byte(std::string_view text) {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); };
    return text.size() == 6 && text.starts_with("<0x") && text.ends_with('>') &&
           is_digit(text[3]) && is_digit(text[4]);
  }

  // How many user defined symbols are the beginning of one another.
  void check_symbols() const {
    std::set<std::string_view> symbols;
    for (const Piece& piece : pieces_) {
      if (piece.type == PieceType::kUserDefined) symbols.insert(piece.text);
    }
    std::vector<std::string_view> nested;
    for (const std::string_view symbol : symbols) {
      while (!nested.empty() && !symbol.starts_with(nested.back())) nested.pop_back();
      nested.push_back(symbol);
      if (nested.size() <= kMaxSymbolMatches) continue;
      throw sdk::Failure{TENON_E_UNSUPPORTED,
                         "too many user defined symbols begin with one another", "file",
                         "at most " + std::to_string(kMaxSymbolMatches)};
    }
  }

  std::vector<Piece> pieces_;
  uint64_t model_type_ = 1;  // unigram, BPE, word, character
  bool treats_space_as_suffix_ = false;
  bool has_byte_fallback_ = false;
  std::array<std::optional<std::string_view>, 5> names_;
  Rules normaliser_;
  std::vector<Rules> denormaliser_;  // one, or none
};

}  // namespace tenon::sentencepiece
