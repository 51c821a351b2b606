import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** java Vectors v1.tsv: goes through the public vectors, and says where the result differs. */
final class Vectors {
  public static void main(String[] args) throws Exception {
    List<String> lines = Files.readAllLines(Path.of(args[0]));
    int wrong = 0;
    for (String line : lines.subList(1, lines.size())) {
      String[] row = line.split("\t");
      boolean takes = takes(row);
      if (takes != row[6].equals("ok")) {
        wrong++;
        System.out.println(row[0] + ": " + takes);
      }
    }
    System.out.println(lines.size() - 1 + " vectors, " + wrong + " wrong");
    System.exit(wrong == 0 ? 0 : 1);
  }

  private static boolean takes(String[] row) throws Exception {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String header : decoded(row[3]).split("\n")) {
      String[] parts = header.split(": ", 2);
      headers.put(parts[0], parts[1]);
    }
    byte[] body = Base64.getDecoder().decode(row[4]);
    long now = Long.parseLong(row[5]);
    List<String> secrets = List.of(decoded(row[2]).split("\n"));
    try {
      return row[1].equals("standard")
          ? Hookwright.verify(body, headers::get, now, secrets)
          : Hookwright.verifyContract(body, headers::get, now, secrets);
    } catch (IllegalArgumentException error) { // a damaged secret
      return false;
    }
  }

  private static String decoded(String text) {
    return new String(Base64.getDecoder().decode(text), UTF_8);
  }
}
