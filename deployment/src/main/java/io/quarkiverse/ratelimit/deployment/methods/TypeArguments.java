package io.quarkiverse.ratelimit.deployment.methods;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jboss.jandex.ArrayType;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.ParameterizedType;
import org.jboss.jandex.Type;
import org.jboss.jandex.TypeVariable;

/** Maps the type parameters of an inherited class or interface, by name, to their arguments. */
public record TypeArguments(Map<String, Type> byName) {

    public static final TypeArguments NONE = new TypeArguments(Map.of());

    /**
     * Returns the arguments of an inherited type.
     *
     * @param use the type in the {@code extends} or {@code implements} clause of a class with these arguments
     */
    public TypeArguments of(ClassInfo inherited, Type use) {
        if (use.kind() != Type.Kind.PARAMETERIZED_TYPE) {
            return NONE;
        }
        Map<String, Type> arguments = new HashMap<>();
        List<TypeVariable> parameters = inherited.typeParameters();
        for (int i = 0; i < parameters.size(); i++) {
            arguments.put(parameters.get(i).identifier(), resolve(use.asParameterizedType().arguments().get(i)));
        }
        return new TypeArguments(arguments);
    }

    public Type resolve(Type type) {
        return switch (type.kind()) {
            case TYPE_VARIABLE -> byName.getOrDefault(type.asTypeVariable().identifier(), type);
            case ARRAY -> ArrayType.create(resolve(type.asArrayType().constituent()), type.asArrayType().dimensions());
            case PARAMETERIZED_TYPE -> ParameterizedType.create(type.name(),
                    type.asParameterizedType().arguments().stream().map(this::resolve).toArray(Type[]::new),
                    type.asParameterizedType().owner());
            default -> type;
        };
    }
}
