package io.quarkiverse.ratelimit.deployment.keys;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.Type;

/**
 * Finds the types whose text is one value, so that it identifies a caller.
 *
 * @param index finds all classes, not only those of the application
 */
public record KeyTypes(IndexView index) {

    private static final DotName OPTIONAL = DotName.createSimple(Optional.class);
    private static final Set<DotName> VALUES = names(String.class, CharSequence.class, Character.class, Boolean.class,
            Number.class, Byte.class, Short.class, Integer.class, Long.class, Float.class, Double.class,
            BigInteger.class, BigDecimal.class, Enum.class, UUID.class);
    private static final Set<DotName> OPTIONAL_NUMBERS = names(OptionalInt.class, OptionalLong.class, OptionalDouble.class);
    private static final String TIME = "java.time";
    private static final Set<String> CLOCKS = Set.of("Clock", "InstantSource");

    private static Set<DotName> names(Class<?>... types) {
        return Stream.of(types).map(DotName::createSimple).collect(Collectors.toSet());
    }

    boolean isKey(Type type) {
        return OPTIONAL_NUMBERS.contains(type.name()) || isValue(valueOf(type));
    }

    /** Returns whether the type depends on a type parameter. */
    public static boolean isOpen(Type type) {
        return valueOf(type).kind() == Type.Kind.TYPE_VARIABLE;
    }

    /** Returns the type of the value. For an {@code Optional}, that is the type it contains. */
    static Type valueOf(Type type) {
        return type.name().equals(OPTIONAL) && type.kind() == Type.Kind.PARAMETERIZED_TYPE
                ? type.asParameterizedType().arguments().get(0)
                : type;
    }

    private boolean isValue(Type type) {
        return switch (type.kind()) {
            case PRIMITIVE -> true;
            case CLASS, PARAMETERIZED_TYPE -> VALUES.contains(type.name()) || isTime(type.name()) || isEnum(type.name());
            case TYPE_VARIABLE -> type.asTypeVariable().bounds().stream().anyMatch(this::isValue);
            case WILDCARD_TYPE -> isValue(type.asWildcardType().extendsBound());
            default -> false;
        };
    }

    private static boolean isTime(DotName type) {
        return TIME.equals(type.packagePrefix()) && !CLOCKS.contains(type.withoutPackagePrefix());
    }

    private boolean isEnum(DotName type) {
        ClassInfo known = index.getClassByName(type);
        return known != null && known.isEnum();
    }
}
