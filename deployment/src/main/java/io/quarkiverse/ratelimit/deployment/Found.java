package io.quarkiverse.ratelimit.deployment;

import java.lang.reflect.Modifier;
import java.util.List;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;

/**
 * A guarded method.
 *
 * @param type the class whose method it is, or the interface of a REST client
 * @param declarations all of it, nearest first: in the class itself, its superclasses and its interfaces
 * @param annotated the method or class with the annotations that count
 */
record Found(ClassInfo type, List<MethodInfo> declarations, AnnotationTarget annotated, GuardedMethod guarded) {

    private static final String CACHE = "io.quarkus.cache.Cache";

    MethodInfo declaration() {
        return declarations.get(0);
    }

    /** Whether it is decided by the filter, and not by the interceptor. */
    boolean byFilter() {
        return guarded.byFilter();
    }

    /** Whether a REST client's interface has it, for which Quarkus makes a bean. */
    boolean isClient() {
        return type.isInterface();
    }

    /** Whether it is a default method, which takes interceptors from the class alone. */
    boolean isDefault() {
        return declaration().declaringClass().isInterface() && !Modifier.isAbstract(declaration().flags());
    }

    /** Whether a call may be answered by a cache, or changes one. */
    boolean isCached() {
        for (AnnotationInstance annotation : declaration().declaredAnnotations()) {
            if (annotation.name().toString().startsWith(CACHE)) {
                return true;
            }
        }
        return false;
    }
}
