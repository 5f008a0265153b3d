// SPDX-License-Identifier: Apache-2.0
// tests/outside/WriteFiles.java: npz and CSV files as Java's standard library writes them, for
// written_files_test.py: `java WriteFiles.java FOLDER`.

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

public final class WriteFiles {
  private static Path folder;

  private static OutputStream create(String name) throws IOException {
    return new BufferedOutputStream(new FileOutputStream(folder.resolve(name).toFile()));
  }

  /** An array's header as a Java program would write it, and its elements. */
  private static byte[] npy(String descr, String shape, ByteBuffer elements) {
    StringBuilder header = new StringBuilder(
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }");
    while ((header.length() + 11) % 64 != 0) header.append(' ');
    header.append('\n');
    ByteBuffer out = ByteBuffer.allocate(10 + header.length() + elements.capacity());
    out.order(ByteOrder.LITTLE_ENDIAN).put((byte) 0x93);
    out.put("NUMPY".getBytes(StandardCharsets.US_ASCII)).put((byte) 1).put((byte) 0);
    out.putShort((short) header.length());
    out.put(header.toString().getBytes(StandardCharsets.ISO_8859_1)).put(elements.array());
    return out.array();
  }

  /** Java's own order is the big-endian one. */
  private static byte[] doubles(int rows, int columns) {
    ByteBuffer elements = ByteBuffer.allocate(8 * rows * columns);
    for (int i = 0; i < rows * columns; ++i) elements.putDouble(Math.sin(i));
    return npy(">f8", "(" + rows + ", " + columns + ")", elements);
  }

  private static Map<String, byte[]> members() {
    Map<String, byte[]> made = new LinkedHashMap<>();
    made.put("weight.npy", doubles(20, 30));
    made.put("bytes.npy", npy("|i1", "(4,)", ByteBuffer.wrap(new byte[] {-1, 2, -3, 127})));
    made.put("characters.npy", npy(">u2", "(3,)", ByteBuffer.allocate(6).putChar(0, 'J')));
    made.put("empty.npy", npy("<f4", "(0,)", ByteBuffer.allocate(0)));
    made.put("größe.npy", npy(">i8", "()", ByteBuffer.allocate(8).putLong(0, Long.MIN_VALUE)));
    made.put("README.txt", "made by Java".getBytes(StandardCharsets.UTF_8));
    return made;
  }

  private static void put(ZipOutputStream out, ZipEntry entry, byte[] bytes) throws IOException {
    if (entry.getMethod() == ZipEntry.STORED) {
      CRC32 sum = new CRC32();
      sum.update(bytes);
      entry.setSize(bytes.length);
      entry.setCrc(sum.getValue());
    }
    out.putNextEntry(entry);
    out.write(bytes);
    out.closeEntry();
  }

  private static void fill(ZipOutputStream out, int method) throws IOException {
    for (Map.Entry<String, byte[]> each : members().entrySet()) {
      ZipEntry entry = new ZipEntry(each.getKey());
      entry.setMethod(method);
      put(out, entry, each.getValue());
    }
    out.close();
  }

  private static void archives() throws IOException {
    fill(new ZipOutputStream(create("deflated.npz")), ZipEntry.DEFLATED);
    fill(new ZipOutputStream(create("stored.npz")), ZipEntry.STORED);
    int[] levels = {Deflater.NO_COMPRESSION, Deflater.BEST_SPEED, Deflater.BEST_COMPRESSION};
    for (int level : levels) {
      ZipOutputStream out = new ZipOutputStream(create("deflated_" + level + ".npz"));
      out.setLevel(level);
      fill(out, ZipEntry.DEFLATED);
    }
    // Without the flag of UTF-8: a reader takes the names for code page 437.
    for (String charset : new String[] {"IBM437", "ISO-8859-1"}) {
      fill(new ZipOutputStream(create(charset + ".npz"), Charset.forName(charset)),
          ZipEntry.DEFLATED);
    }
  }

  private static void moreArchives() throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(create("commented.npz"))) {
      out.setComment("a comment");
      out.putNextEntry(new ZipEntry("arrays/"));
      ZipEntry entry = new ZipEntry("arrays/a.npy");
      entry.setComment("the first");
      entry.setLastModifiedTime(FileTime.fromMillis(1700000000123L));
      entry.setCreationTime(FileTime.fromMillis(1600000000000L));
      entry.setExtra(new byte[] {0x34, 0x12, 3, 0, 1, 2, 3});
      put(out, entry, doubles(2, 3));
    }
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    fill(new JarOutputStream(create("jar.npz"), manifest), ZipEntry.DEFLATED);
    new ZipOutputStream(create("nothing.npz")).close();
    Map<String, String> options = Map.of("create", "true");
    try (var files = FileSystems.newFileSystem(folder.resolve("file_system.npz"), options)) {
      for (Map.Entry<String, byte[]> each : members().entrySet()) {
        Files.write(files.getPath("/" + each.getKey()), each.getValue());
      }
    }
    try (ZipOutputStream out = new ZipOutputStream(create("of_66000_members.npz"))) {
      for (int i = 0; i < 66000; ++i) out.putNextEntry(new ZipEntry(Integer.toString(i)));
      put(out, new ZipEntry("last.npy"), doubles(4, 5));
    }
  }

  private static void rows(OutputStream to, String end) throws IOException {
    try (PrintWriter out = new PrintWriter(new OutputStreamWriter(to, StandardCharsets.UTF_8))) {
      out.print("x,y,id" + end);
      for (int i = 0; i < 20; ++i) {
        out.print(Math.sin(i) + "," + (float) Math.exp(i) + "," + ((1L << 55) + i) + end);
      }
    }
  }

  private static void tables() throws IOException {
    rows(create("lf.csv"), "\n");
    rows(create("crlf.csv"), "\r\n");
    rows(new GZIPOutputStream(create("packed.csv.gz")), "\n");
  }

  public static void main(String[] arguments) throws IOException {
    folder = Path.of(arguments[0]);
    archives();
    moreArchives();
    tables();
  }
}
