package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The layout of a message or of a stored state. It is declared once, in the Lua file that reads it:
 *
 * <pre>
 * local REFUND = '&lt;I4d' -- refunded acquired_at
 * </pre>
 *
 * The types are those of Lua's {@code struct}: {@code B} is an unsigned integer of one byte, {@code I1} to {@code I7} are
 * unsigned integers of this number of bytes, {@code d} is a double, {@code c8} is an id of eight bytes. All are little-endian.
 *
 * @param fields the fields in their order, without gaps
 */
public record Layout(List<Field> fields) {

    /** A double holds each integer up to this one. */
    private static final long MAX_EXACT = 1L << 53;

    public record Field(String name, char type, int size) {

        static Field of(String name, String type) {
            return new Field(name, type.charAt(0), switch (type.charAt(0)) {
                case 'B' -> 1;
                case 'I' -> Integer.parseInt(type.substring(1));
                case 'd', 'c' -> Long.BYTES;
                default -> throw new IllegalStateException("The type of " + name + " is unknown: " + type);
            });
        }

        /** Whether a script gets exactly this value. */
        private boolean fits(long value) {
            return switch (type) {
                case 'd' -> value >= -MAX_EXACT && value <= MAX_EXACT;
                case 'c' -> true;
                default -> value >>> size * Byte.SIZE == 0;
            };
        }
    }

    /** Reads a layout that a file declares under this name. */
    public static Layout of(ScriptFile file, String name) {
        Matcher line = Pattern.compile("(?m)^local " + name + " = '<(\\w+)' -- ([\\w ]+)$").matcher(file.text());
        if (!line.find()) {
            throw new IllegalStateException(file.path + ".lua does not contain a line \"local " + name
                    + " = '<types' -- names\"");
        }
        return of(line.group(1), line.group(2).split(" "));
    }

    static Layout of(String types, String... names) {
        String[] each = types.split("(?=[A-Za-z])");
        if (each.length != names.length) {
            throw new IllegalStateException("<" + types + " has not one type for each of " + String.join(" ", names));
        }
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < names.length; i++) {
            fields.add(Field.of(names[i], each[i]));
        }
        return new Layout(fields);
    }

    int size() {
        int size = 0;
        for (Field field : fields) {
            size += field.size;
        }
        return size;
    }

    /**
     * Packs one value per field.
     *
     * @throws IllegalArgumentException if the number of values is wrong, or a value is outside the range of its type
     */
    public byte[] pack(long... values) {
        if (values.length != fields.size()) {
            throw new IllegalArgumentException(values.length + " values for " + fields);
        }
        byte[] packed = new byte[size()];
        int end = 0;
        for (int i = 0; i < values.length; i++) {
            Field field = fields.get(i);
            if (!field.fits(values[i])) {
                throw new IllegalArgumentException(values[i] + " is outside the range of " + field);
            }
            long bits = field.type == 'd' ? Double.doubleToRawLongBits(values[i]) : values[i];
            for (int shift = 0; shift < field.size * Byte.SIZE; shift += Byte.SIZE) {
                packed[end++] = (byte) (bits >> shift);
            }
        }
        return packed;
    }
}
