import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;

// region verify
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
    private static final long TOLERANCE_SECONDS = 300;
    private static final Pattern WHOLE_SECRET = Pattern.compile("whsec_[A-Za-z0-9+/]{32,}={0,2}");

    /** Whether Cobro signed these bytes at most five minutes before now. One of the endpoint's signing secrets has to match. */
    static boolean isGenuine(byte[] rawBody, Map<String, List<String>> headers, List<String> secrets, Instant now)
            throws GeneralSecurityException {
        // Otherwise an unset variable would become a key that anyone can guess.
        if (secrets.isEmpty() || !secrets.stream().allMatch(secret -> WHOLE_SECRET.matcher(secret).matches())) {
            throw new IllegalArgumentException("expected whole signing secrets, including whsec_");
        }
        String timestamp = singleHeader(headers, "X-Service-Signature-Timestamp");
        String signature = singleHeader(headers, "X-Service-Signature-V1");
        String previous = singleHeader(headers, "X-Service-Signature-V1-Previous");
        if (timestamp == null || signature == null || !timestamp.matches("[0-9]{1,12}")) {
            return false;
        }
        long ageSeconds = now.getEpochSecond() - Long.parseLong(timestamp);
        if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) {
            return false;
        }
        boolean genuine = false;
        for (String secret : secrets) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
            byte[] expected = HexFormat.of().formatHex(mac.doFinal(rawBody)).getBytes(StandardCharsets.UTF_8);
            for (String given : Arrays.asList(signature, previous)) {
                if (given != null && MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) {
                    genuine = true;
                }
            }
        }
        return genuine;
    }

    /** The value of a header; null if it is missing or repeated. */
    private static String singleHeader(Map<String, List<String>> headers, String name) {
        List<String> values = headers.entrySet().stream()
                .filter(header -> name.equalsIgnoreCase(header.getKey()))
                .flatMap(header -> header.getValue().stream())
                .toList();
        return values.size() == 1 ? values.get(0) : null;
    }
}
// endregion

/** Reads test vectors, one a line: body, time and secrets, and headers as name:value, all but the time in base64. */
final class Verify {
    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split("\t", -1);
            List<String> secrets = listOf(fields[2]).stream().map(Verify::decoded).toList();
            Map<String, List<String>> headers = new LinkedHashMap<>();
            for (String pair : listOf(fields[3])) {
                String[] parts = pair.split(":", -1);
                headers.computeIfAbsent(decoded(parts[0]), name -> new ArrayList<>()).add(decoded(parts[1]));
            }
            byte[] body = Base64.getDecoder().decode(fields[0]);
            Instant now = Instant.ofEpochSecond(Long.parseLong(fields[1]));
            System.out.println(isGenuine(body, headers, secrets, now));
        }
    }

    private static boolean isGenuine(byte[] body, Map<String, List<String>> headers, List<String> secrets, Instant now)
            throws GeneralSecurityException {
        try {
            return Webhooks.isGenuine(body, headers, secrets, now);
        } catch (IllegalArgumentException notWhole) {
            return false;
        }
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    private static List<String> listOf(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }
}
