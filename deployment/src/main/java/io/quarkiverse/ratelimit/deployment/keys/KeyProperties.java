package io.quarkiverse.ratelimit.deployment.keys;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.FieldInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.PrimitiveType;
import org.jboss.jandex.Type;

import io.quarkiverse.ratelimit.deployment.methods.Hierarchy;
import io.quarkiverse.ratelimit.deployment.methods.TypeArguments;

/** Finds the properties of arguments: components of records, getters, and public fields. */
public final class KeyProperties {

    private static final String JDK = "java.";

    private final IndexView index;
    private final KeyTypes keys;

    /** @param index finds all classes, not only those of the application */
    public KeyProperties(IndexView index) {
        this.index = index;
        this.keys = new KeyTypes(index);
    }

    /**
     * Reads one property.
     *
     * @param owner class of the object that has the property
     * @param member its getter or field
     */
    record Accessor(ClassInfo owner, AnnotationTarget member, Type type) {
    }

    /**
     * Returns the accessors that lead from a value of the type to the property.
     *
     * @param path names of properties, separated by dots
     * @throws IllegalArgumentException with the properties that there are, when one does not exist or the last is no key
     */
    public List<Accessor> path(Type type, String path) {
        List<Accessor> accessors = new ArrayList<>();
        Type current = type;
        for (String name : path.split("\\.", -1)) {
            Accessor accessor = of(current).get(name);
            if (accessor == null) {
                throw new IllegalArgumentException(
                        "names no property of " + KeyTypes.valueOf(current) + ", which " + list(current) + ".");
            }
            accessors.add(accessor);
            current = accessor.type();
        }
        if (!keys.isKey(current)) {
            throw new IllegalArgumentException("is no key, as it is a " + current + ", which " + list(current) + ".");
        }
        return accessors;
    }

    public boolean isKey(Type type) {
        return keys.isKey(type);
    }

    /** Returns the properties of a type, for messages. */
    public String list(Type type) {
        Map<String, Accessor> properties = of(type);
        if (properties.isEmpty()) {
            Type value = KeyTypes.valueOf(type);
            return value.kind() != Type.Kind.TYPE_VARIABLE && value.name().toString().startsWith(JDK)
                    ? "is a type of the JDK, whose properties cannot be keys"
                    : "has no properties";
        }
        return "has the properties " + String.join(", ", properties.keySet());
    }

    private Map<String, Accessor> of(Type optional) {
        Type type = bound(KeyTypes.valueOf(optional));
        ClassInfo owner = keys.isKey(type) || type.kind() == Type.Kind.ARRAY ? null : index.getClassByName(type.name());
        Map<String, Accessor> properties = new TreeMap<>();
        if (owner == null || isOfPlatform(owner)) {
            return properties;
        }
        TypeArguments arguments = TypeArguments.NONE.of(owner, type);
        Hierarchy hierarchy = new Hierarchy(owner, index);
        for (ClassInfo declaring : hierarchy.types()) {
            if (!isOfPlatform(declaring)) {
                members(declaring).forEach((name, member) -> properties.putIfAbsent(name, new Accessor(owner, member,
                        arguments.resolve(hierarchy.argumentsOf(declaring).resolve(typeOf(member))))));
            }
        }
        return properties;
    }

    private static Type bound(Type type) {
        return type.kind() == Type.Kind.TYPE_VARIABLE && !type.asTypeVariable().bounds().isEmpty()
                ? type.asTypeVariable().bounds().get(0)
                : type;
    }

    /**
     * Returns whether the platform declares the type. Its getters, such as those of protocol buffers for the message itself,
     * are no properties of an argument.
     */
    private static boolean isOfPlatform(ClassInfo type) {
        return type.name().toString().startsWith(JDK) || type.name().toString().startsWith("com.google.protobuf.");
    }

    private static Type typeOf(AnnotationTarget member) {
        return member.kind() == AnnotationTarget.Kind.FIELD ? member.asField().type() : member.asMethod().returnType();
    }

    private static Map<String, AnnotationTarget> members(ClassInfo type) {
        Map<String, AnnotationTarget> members = new TreeMap<>();
        for (MethodInfo method : type.methods()) {
            String name = nameOf(method);
            if (name != null && isReadable(method.flags()) && method.parametersCount() == 0 && !method.isSynthetic()) {
                members.put(name, method);
            }
        }
        for (FieldInfo field : type.fields()) {
            if (isReadable(field.flags()) && !field.isSynthetic()) {
                members.putIfAbsent(field.name(), field);
            }
        }
        return members;
    }

    private static boolean isReadable(int flags) {
        return Modifier.isPublic(flags) && !Modifier.isStatic(flags);
    }

    /** Returns the name of the property that the method reads, or {@code null} if it is no getter. */
    private static String nameOf(MethodInfo method) {
        String name = method.name();
        if (method.declaringClass().recordComponent(name) != null) {
            return name;
        }
        boolean getter = name.startsWith("get") && method.returnType().kind() != Type.Kind.VOID;
        boolean isGetter = name.startsWith("is") && PrimitiveType.BOOLEAN.equals(method.returnType());
        String property = name.substring(getter ? 3 : isGetter ? 2 : 0);
        boolean named = (getter || isGetter) && !property.isEmpty() && !Character.isLowerCase(property.charAt(0));
        return named ? Character.toLowerCase(property.charAt(0)) + property.substring(1) : null;
    }
}
