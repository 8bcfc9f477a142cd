package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Parses a configured {@code key}: parts such as {@code header:X-Api-Key} separated by commas, or {@code global}. */
public final class KeyParser {

    static final String GLOBAL = "global";

    /** The form of HTTP names: RFC 9110, section 5.6.2. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    /** The kinds that a route cannot resolve. */
    private static final Set<KeyPart.Kind> ONLY_OF_METHODS = EnumSet.of(KeyPart.Kind.PRINCIPAL, KeyPart.Kind.CLAIM,
            KeyPart.Kind.METHOD, KeyPart.Kind.PATH);

    private KeyParser() {
    }

    /**
     * @param warning of values that callers lack
     * @throws IllegalArgumentException if a part is invalid; the message names the part and the remedy
     */
    public static KeyTemplate parse(String value, MissingValueWarning warning) {
        if (value.trim().equals(GLOBAL)) {
            return KeyTemplate.GLOBAL;
        }
        return new KeyTemplate(Stream.of(value.split(",", -1)).map(text -> part(text.trim())).toList(), warning);
    }

    /** The parts that a route cannot resolve: they need the method or the authenticated caller. */
    public static List<String> unknownOnRoutes(KeyTemplate key) {
        return key.parts.stream().filter(part -> ONLY_OF_METHODS.contains(part.kind())).map(KeyPart::toString).toList();
    }

    private static KeyPart part(String text) {
        int colon = text.indexOf(':');
        String prefix = colon < 0 ? text : text.substring(0, colon);
        String name = colon < 0 ? null : text.substring(colon + 1);
        for (KeyPart.Kind kind : KeyPart.Kind.values()) {
            if (kind.prefix.equals(prefix) && isName(name, kind)) {
                return name == null ? new KeyPart(kind, null, KeyPart.StoredForm.plain(prefix)) : named(kind, name);
            }
        }
        throw new IllegalArgumentException('"' + text + "\" is no part of a key. Known parts: "
                + Stream.of(KeyPart.Kind.values()).map(kind -> kind.notation).collect(Collectors.joining(", "))
                + "; or global alone for one count for everybody. Correct it.");
    }

    private static boolean isName(String name, KeyPart.Kind kind) {
        return switch (kind) {
            case IP, PRINCIPAL, METHOD -> name == null;
            case HEADER, COOKIE -> name != null && TOKEN.matcher(name).matches();
            case PATH, QUERY, CLAIM, BEAN -> name != null && !name.isEmpty();
        };
    }

    private static KeyPart named(KeyPart.Kind kind, String name) {
        String canonical = kind == KeyPart.Kind.HEADER ? name.toLowerCase(Locale.ROOT) : name;
        return new KeyPart(kind, canonical, KeyPart.StoredForm.secret(kind.prefix + ':' + escaped(canonical)));
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
