// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/formats.h: draft interface "tenon.formats/1": files of named tensors. What
// programs call is in archives.h.
//
// A format sees bytes, never files: the host maps a file and asks the format what lies where, and
// it writes a file piece by piece as the format lays it out, so tensor data is copied nowhere.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (its id will not change).
#ifndef TENON_EXT_DRAFT_FORMATS_H
#define TENON_EXT_DRAFT_FORMATS_H

#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_INTERFACE_FORMATS "tenon.formats/1"

// The last index of the shape varies slowest in memory.
#define TENON_FORMAT_COLUMN_MAJOR 1u
// The bytes in the file are not the tensor's: `unpack` makes those.
#define TENON_FORMAT_PACKED 2u
// Not a tensor that Tenon can hold: of another dtype, of more dimensions, or no tensor at all.
// meta.dtype is TENON_DTYPE_NONE, and `foreign` says what it is. It is listed, and refused when it
// is asked for; its bytes are given as they lie in the file or, if PACKED, as `unpack` makes them.
#define TENON_FORMAT_FOREIGN 4u
// One tensor of a file.
typedef struct tenon_format_entry {
  tenon_string name;  // UTF-8; lives as long as the object that `read` made
  tenon_meta meta;    // shape and dtype; device is ignored
  uint64_t offset;    // of the first byte in the file; 0 if PACKED
  uint64_t bytes;     // of the tensor: elements times size of one; if FOREIGN, as many as there are
  uint32_t flags;     // TENON_FORMAT_*
  uint32_t reserved;
} tenon_format_entry;

// A key and its value in the file's metadata; both UTF-8.
typedef struct tenon_format_pair {
  tenon_string key;
  tenon_string value;
} tenon_format_pair;

// What is to be written.
typedef struct tenon_format_content {
  uint32_t struct_size;
  uint32_t flags;                     // 0
  const tenon_format_entry* entries;  // [n_entries]; flags and offset 0; names are unique
  const tenon_format_pair* metadata;  // [n_metadata]; keys are unique
  uint32_t n_entries;
  uint32_t n_metadata;
} tenon_format_content;

// The next bytes of a file.
#define TENON_PIECE_BYTES 0u   // bytes[length], alive until the next call with this object
#define TENON_PIECE_TENSOR 1u  // the bytes of entry `entry`, row-major, in this machine's order
#define TENON_PIECE_END 2u     // none: the file is complete
typedef struct tenon_format_piece {
  const void* bytes;
  uint64_t length;
  uint32_t kind;  // TENON_PIECE_*
  uint32_t entry;
} tenon_format_piece;

// All callbacks in state [data]; none is NULL unless a comment says so. The bytes of a file are
// untrusted: they may be anything, and no size in them may be trusted before it is compared with
// what is there. A malformed file is TENON_E_DATA, a valid one that is not supported
// TENON_E_UNSUPPORTED; the host adds the path.
typedef struct tenon_format_desc {
  uint32_t struct_size;
  uint32_t flags;     // 0
  tenon_string name;  // "tenon.safetensors"
  tenon_string doc;
  tenon_string endings;  // of file names, separated by spaces: ".safetensors"
  // Reads what the file says of itself. bytes[length] stays until `release`.
  tenon_status (*read)(tenon_call* call, const void* bytes, uint64_t length, void** out_object);
  void (*release)(void* object);
  tenon_status (*count)(tenon_call* call, void* object, uint32_t* out_entries,
                        uint32_t* out_metadata);
  tenon_status (*entry)(tenon_call* call, void* object, uint32_t index,
                        tenon_format_entry* out_entry);
  tenon_status (*metadata)(tenon_call* call, void* object, uint32_t index,
                           tenon_format_pair* out_pair);
  // Writes the `bytes` bytes of a PACKED entry to `destination`. May be called by several threads.
  // NULL: no entry is PACKED.
  tenon_status (*unpack)(tenon_call* call, void* object, uint32_t index, void* destination,
                         uint64_t bytes);
  // Lays a file out. Refuses what the format cannot hold, naming the tensor or the key.
  tenon_status (*layout)(tenon_call* call, const tenon_format_content* content, void** out_layout);
  // The pieces in the file's order, one a call.
  tenon_status (*piece)(tenon_call* call, void* layout, tenon_format_piece* out_piece);
  // Shows the bytes of the TENSOR piece asked last, in order, as they are written: for checksums.
  // NULL: not wanted.
  tenon_status (*written)(tenon_call* call, void* layout, const void* bytes, uint64_t length);
  void (*release_layout)(void* layout);
  // What a FOREIGN entry is, in the file's own words: "F8_E4M3", "a file that is not an array".
  // Lives as long as the object. NULL: no entry is FOREIGN.
  tenon_status (*foreign)(tenon_call* call, void* object, uint32_t index, tenon_string* out_text);
} tenon_format_desc;

typedef struct tenon_formats_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_format_desc* const* descs;
} tenon_formats_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_FORMATS_H
