package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.caller.KeyPart.Kind;
import io.quarkiverse.ratelimit.runtime.caller.KeyPart.Names;
import io.quarkiverse.ratelimit.runtime.caller.KeyPart.StoredForm;

/** Parses a configured {@code key}: parts such as {@code header:X-Api-Key} separated by commas, or {@code global}. */
public final class KeyParser {

    /** Form of HTTP names: RFC 9110, section 5.6.2. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    private KeyParser() {
    }

    /**
     * @param warning of values that callers lack
     * @throws IllegalArgumentException if a part is invalid; the message names the part and the remedy
     */
    public static KeyTemplate parse(String value, MissingValueWarning warning) {
        if (value.trim().equals(KeyTemplate.GLOBAL.toString())) {
            return KeyTemplate.GLOBAL;
        }
        List<KeyPart> parts = new ArrayList<>();
        for (String text : value.split(",", -1)) {
            parts.add(part(text.trim()));
        }
        return new KeyTemplate(parts, warning);
    }

    public static boolean isHeaderName(String text) {
        return TOKEN.matcher(text).matches();
    }

    private static KeyPart part(String text) {
        int colon = text.indexOf(':');
        String prefix = colon < 0 ? text : text.substring(0, colon);
        String name = colon < 0 ? null : text.substring(colon + 1);
        for (Kind kind : Kind.values()) {
            if (kind.prefix.equals(prefix) && isName(name, kind.names)) {
                return part(kind, kind.names == Names.HEADER ? name.toLowerCase(Locale.ROOT) : name);
            }
        }
        throw new IllegalArgumentException('"' + text + "\" is no part of a key. Known parts: "
                + Stream.of(Kind.values()).map(Kind::notation).collect(Collectors.joining(", "))
                + "; or global alone for one count for everybody. Correct it.");
    }

    private static boolean isName(String name, Names names) {
        return switch (names) {
            case NONE -> name == null;
            case HEADER, TOKEN -> name != null && isHeaderName(name);
            case ANY -> name != null && !name.isEmpty();
        };
    }

    private static KeyPart part(Kind kind, String name) {
        String label = name == null ? kind.prefix : kind.prefix + ':' + escaped(name);
        return new KeyPart(kind, name, kind.isSecret() ? StoredForm.secret(label) : StoredForm.plain(label));
    }

    /** Escapes all characters except letters, digits and {@code ._-} as %XX. A name may contain markers and braces. */
    private static String escaped(String name) {
        StringBuilder escaped = new StringBuilder();
        for (byte b : name.getBytes(UTF_8)) {
            if (b >= 0 && (Character.isLetterOrDigit(b) || "._-".indexOf(b) >= 0)) {
                escaped.append((char) b);
            } else {
                escaped.append('%').append(HexFormat.of().toHexDigits(b));
            }
        }
        return escaped.toString();
    }
}
