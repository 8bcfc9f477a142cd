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
 * @param size the size of all fields in bytes
 */
public record Layout(List<Field> fields, int size) {

    /** A double holds each integer up to this one. */
    private static final long MAX_EXACT = 1L << 53;
    private static final Pattern TYPE = Pattern.compile("(B)|I([1-7])|(d)|(c8)");

    public record Field(String name, Type type, int size) {

        /** Whether a script gets exactly this value. */
        boolean fits(long value) {
            return switch (type) {
                case INTEGER -> value >>> size * Byte.SIZE == 0;
                case DOUBLE -> value >= -MAX_EXACT && value <= MAX_EXACT;
                case ID -> true;
            };
        }
    }

    public enum Type {
        INTEGER,
        DOUBLE,
        ID
    }

    /** Reads a layout that a file declares under this name. */
    public static Layout of(ScriptFile file, String name) {
        Matcher line = Pattern.compile("(?m)^local " + name + " = '<(\\w+)' -- ([\\w ]+)$").matcher(file.text());
        if (!line.find()) {
            throw new IllegalStateException(file.path + ".lua does not contain a line \"local " + name
                    + " = '<types' -- names\"");
        }
        return of(line.group(1), List.of(line.group(2).split(" ")));
    }

    static Layout of(String types, List<String> names) {
        List<Field> fields = new ArrayList<>();
        int size = 0;
        Matcher type = TYPE.matcher(types);
        int end = 0;
        for (String name : names) {
            if (!type.find(end) || type.start() != end) {
                throw new IllegalStateException("The type of " + name + " is missing or unknown in <" + types);
            }
            end = type.end();
            Field field = type.group(3) != null ? new Field(name, Type.DOUBLE, Double.BYTES)
                    : type.group(4) != null ? new Field(name, Type.ID, Long.BYTES)
                            : new Field(name, Type.INTEGER, type.group(1) != null ? 1 : Integer.parseInt(type.group(2)));
            fields.add(field);
            size += field.size;
        }
        if (end != types.length()) {
            throw new IllegalStateException("<" + types + " has more types than the names " + names);
        }
        return new Layout(List.copyOf(fields), size);
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
        byte[] packed = new byte[size];
        int end = 0;
        for (int i = 0; i < values.length; i++) {
            Field field = fields.get(i);
            if (!field.fits(values[i])) {
                throw new IllegalArgumentException(values[i] + " is outside the range of " + field);
            }
            long bits = field.type == Type.DOUBLE ? Double.doubleToRawLongBits(values[i]) : values[i];
            for (int shift = 0; shift < field.size * Byte.SIZE; shift += Byte.SIZE) {
                packed[end++] = (byte) (bits >> shift);
            }
        }
        return packed;
    }
}
