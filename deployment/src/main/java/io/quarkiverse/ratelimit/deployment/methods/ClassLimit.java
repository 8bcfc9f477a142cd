package io.quarkiverse.ratelimit.deployment.methods;

import java.util.List;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/**
 * Finds the methods that an annotation on a class limits: those that begin a call. The other methods of a resource, or of
 * another class that serves calls, are not limited: they run within a call that is already charged.
 */
final class ClassLimit {

    private final ClassInfo type;
    private final ResourceMethods resources;
    private final boolean servesCalls;
    private final Set<MethodInfo> withinCalls;

    ClassLimit(ClassInfo type, Hierarchy hierarchy, IndexView index, ResourceMethods resources) {
        this.type = type;
        this.resources = resources;
        this.servesCalls = !type.isInterface() && hierarchy.methods().values().stream()
                .anyMatch(declarations -> servesCalls(declarations) || resources.isLocator(declarations));
        this.withinCalls = new FaultToleranceCalls(hierarchy, index).methods();
    }

    boolean includes(List<MethodInfo> declarations) {
        MethodInfo method = declarations.get(0);
        return !Callbacks.handlesNoCall(method) && !withinCalls.contains(method) && !isOwnCodeOfClient(method)
                && (!servesCalls || servesCalls(declarations));
    }

    private boolean servesCalls(List<MethodInfo> declarations) {
        return !resources.served(declarations).isEmpty() || Callbacks.servesCalls(declarations.get(0));
    }

    /** Returns whether the method only calls others, which send something. */
    private boolean isOwnCodeOfClient(MethodInfo method) {
        return type.isInterface() && !method.isAbstract();
    }
}
