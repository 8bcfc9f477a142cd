package io.quarkiverse.ratelimit.deployment.methods;

import java.util.stream.Collectors;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

/** Builds the ids of methods, which are the same at build time and at run time. */
public final class MethodId {

    private MethodId() {
    }

    /** Returns the id of a method that this class declares or inherits. */
    public static String of(ClassInfo type, MethodInfo method) {
        return type.name() + signature(method);
    }

    /** Returns the method's name and erased parameter types. */
    public static String signature(MethodInfo method) {
        return signature(method, TypeArguments.NONE);
    }

    /** Returns the signature of an overriding method in a class that inherits this method with these type arguments. */
    static String signature(MethodInfo method, TypeArguments arguments) {
        return method.parameterTypes().stream().map(type -> arguments.resolve(type).name().toString())
                .collect(Collectors.joining(",", "#" + method.name() + "(", ")"));
    }
}
