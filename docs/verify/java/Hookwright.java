import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies deliveries of Hookwright with the standard library alone: Java 17 and later. */
final class Hookwright {
  private static final long TOLERANCE_SECONDS = 300;

  /**
   * Whether a delivery is genuine and fresh, by the headers of Standard Webhooks.
   *
   * @param rawBody the bytes as they came (Servlet: request.getInputStream().readAllBytes())
   * @param header finds a header, or null (Servlet: request::getHeader)
   * @param nowSeconds Instant.now().getEpochSecond()
   * @param secrets while you change it, the old one and the new one
   */
  static boolean verify(
      byte[] rawBody, UnaryOperator<String> header, long nowSeconds, List<String> secrets)
      throws GeneralSecurityException {
    String id = header.apply("webhook-id");
    String timestamp = header.apply("webhook-timestamp");
    String signature = header.apply("webhook-signature");
    if (id == null || signature == null || !isFresh(timestamp, nowSeconds)) {
      return false;
    }
    for (String secret : secrets) {
      byte[] mac = sign(keyOf(secret), (id + "." + timestamp + ".").getBytes(UTF_8), rawBody);
      String expected = "v1," + Base64.getEncoder().encodeToString(mac);
      for (String entry : signature.split(" ")) {
        if (equal(entry, expected)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The same by X-Service-Signature, which does not cover id and time: prefer verify. */
  static boolean verifyContract(
      byte[] rawBody, UnaryOperator<String> header, long nowSeconds, List<String> secrets)
      throws GeneralSecurityException {
    String signature = header.apply("X-Service-Signature");
    if (signature == null || !isFresh(header.apply("X-Service-Timestamp"), nowSeconds)) {
      return false;
    }
    for (String secret : secrets) {
      String mac = HexFormat.of().formatHex(sign(secret.getBytes(UTF_8), rawBody));
      if (equal(signature, "sha256=" + mac)) {
        return true;
      }
    }
    return false;
  }

  /** A secret that came with webhooks of another service may be a text without whsec_. */
  private static byte[] keyOf(String secret) {
    return secret.startsWith("whsec_")
        ? Base64.getDecoder().decode(secret.substring("whsec_".length()))
        : secret.getBytes(UTF_8);
  }

  private static byte[] sign(byte[] key, byte[]... parts) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    for (byte[] part : parts) {
      mac.update(part);
    }
    return mac.doFinal();
  }

  private static boolean isFresh(String timestamp, long nowSeconds) {
    return timestamp != null
        && timestamp.matches("[0-9]{1,12}")
        && Math.abs(nowSeconds - Long.parseLong(timestamp)) <= TOLERANCE_SECONDS;
  }

  private static boolean equal(String given, String expected) {
    return MessageDigest.isEqual(given.getBytes(UTF_8), expected.getBytes(UTF_8));
  }
}
