package io.quarkiverse.ratelimit.runtime.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
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
 * @param fields fields in their order, without gaps
 */
public record Layout(List<Field> fields) {

    /** Largest number up to which a double holds every integer. */
    private static final long MAX_EXACT = 1L << 53;

    public record Field(String name, char type, int size) {

        /** Returns whether a script gets exactly this value. */
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
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < names.length; i++) {
            char type = each[i].charAt(0);
            fields.add(new Field(names[i], type, type == 'B' ? 1 : type == 'I' ? each[i].charAt(1) - '0' : Long.BYTES));
        }
        return new Layout(fields);
    }

    /**
     * Packs one value per field.
     *
     * @throws IllegalArgumentException if a value is outside the range of its type
     */
    public byte[] pack(long... values) {
        ByteBuffer packed = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        int end = 0;
        for (int i = 0; i < values.length; i++) {
            Field field = fields.get(i);
            if (!field.fits(values[i])) {
                throw new IllegalArgumentException(values[i] + " is outside the range of " + field);
            }
            packed.putLong(end, field.type == 'd' ? Double.doubleToRawLongBits(values[i]) : values[i]);
            end += field.size;
        }
        return Arrays.copyOf(packed.array(), end);
    }
}
