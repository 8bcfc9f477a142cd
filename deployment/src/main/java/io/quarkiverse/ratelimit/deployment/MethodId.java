package io.quarkiverse.ratelimit.deployment;

import java.util.stream.Collectors;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

/** Names methods the same way at build time as at run time. */
final class MethodId {

    private MethodId() {
    }

    /** The method as it belongs to this class, wherever it is declared. */
    static String of(ClassInfo type, MethodInfo method) {
        return type.name() + signature(method);
    }

    /** The method's name and erased parameter types. */
    static String signature(MethodInfo method) {
        return signature(method, TypeArguments.NONE);
    }

    /** The signature of a method that overrides this one in a class which inherits it with these arguments. */
    static String signature(MethodInfo method, TypeArguments arguments) {
        return method.parameterTypes().stream().map(type -> arguments.resolve(type).name().toString())
                .collect(Collectors.joining(",", "#" + method.name() + "(", ")"));
    }
}
