package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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

    /** @throws IllegalArgumentException if a part is invalid; the message names the part and the remedy */
    public static KeyTemplate parse(String value) {
        if (value.trim().equals(GLOBAL)) {
            return KeyTemplate.GLOBAL;
        }
        List<KeyPart> parts = new ArrayList<>();
        for (String text : value.split(",", -1)) {
            KeyPart part = part(text.trim(), value);
            if (parts.contains(part)) {
                throw new IllegalArgumentException('"' + value + "\" names the part " + part
                        + " twice. Leave one out.");
            }
            parts.add(part);
        }
        return new KeyTemplate(parts);
    }

    /** The parts that a route cannot resolve: they need the method or the authenticated caller. */
    public static List<String> unknownOnRoutes(KeyTemplate key) {
        return key.parts.stream().filter(part -> ONLY_OF_METHODS.contains(part.kind())).map(KeyPart::toString).toList();
    }

    private static KeyPart part(String text, String value) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(
                    '"' + value + "\" has an empty part. " + known() + " Name one or remove the comma.");
        }
        if (text.equals(GLOBAL)) {
            throw new IllegalArgumentException('"' + value + "\" combines global with other parts."
                    + " Leave out global, or the others for one count for everybody.");
        }
        int colon = text.indexOf(':');
        String prefix = colon < 0 ? text : text.substring(0, colon);
        for (KeyPart.Kind kind : KeyPart.Kind.values()) {
            if (kind.prefix.equals(prefix)) {
                return part(kind, colon < 0 ? null : text.substring(colon + 1), text);
            }
        }
        throw new IllegalArgumentException('"' + text + "\" is no part of a key. " + known() + " Correct it.");
    }

    private static KeyPart part(KeyPart.Kind kind, String name, String text) {
        if (!kind.hasName()) {
            if (name != null) {
                throw new IllegalArgumentException('"' + text + "\" gives the part " + kind.prefix
                        + " a name, but it takes none. Write " + kind.prefix + '.');
            }
            return new KeyPart(kind, null, KeyPart.StoredForm.plain(kind.prefix));
        }
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException('"' + text + "\" lacks a name. Write " + kind.notation + '.');
        }
        if ((kind == KeyPart.Kind.HEADER || kind == KeyPart.Kind.COOKIE) && !TOKEN.matcher(name).matches()) {
            throw new IllegalArgumentException('"' + text + "\" names no " + kind.prefix + ": a " + kind.prefix
                    + "'s name is made of letters, digits and !#$%&'*+-.^_`|~ only. Correct it.");
        }
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

    /** The parts that configuration can name, for messages. */
    private static String known() {
        return Arrays.stream(KeyPart.Kind.values()).map(kind -> kind.notation)
                .collect(Collectors.joining(", ", "Known parts: ", "; or global alone for one count for everybody."));
    }
}
