package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

/** Finds the methods that reactive routes and WebSockets Next call, by their annotations. */
final class Callbacks {

    private static final DotName ROUTE = DotName.createSimple("io.quarkus.vertx.web.Route");
    private static final DotName ROUTES = DotName.createSimple("io.quarkus.vertx.web.Route$Routes");
    private static final DotName ON_OPEN = DotName.createSimple("io.quarkus.websockets.next.OnOpen");
    private static final Set<DotName> OF_NO_CALL = Set.of(DotName.createSimple("io.quarkus.vertx.web.RouteFilter"), ON_OPEN,
            DotName.createSimple("io.quarkus.websockets.next.OnClose"),
            DotName.createSimple("io.quarkus.websockets.next.OnError"));

    private Callbacks() {
    }

    /** Whether the method is a reactive route that serves requests. */
    static boolean isRoute(MethodInfo method) {
        return routes(method).stream().anyMatch(route -> !isFor(route, "FAILURE"));
    }

    /** Whether Quarkus calls the method as a reactive route on an event loop. */
    static boolean isRouteOnEventLoop(MethodInfo method) {
        return routes(method).stream().anyMatch(route -> !isFor(route, "FAILURE") && !isFor(route, "BLOCKING"));
    }

    /**
     * Whether the method handles something else than a call: a failure, the beginning or end of a connection, or all
     * requests. An annotation on its class does not limit it.
     */
    static boolean handlesNoCall(MethodInfo method) {
        return method.declaredAnnotations().stream().anyMatch(annotation -> OF_NO_CALL.contains(annotation.name()))
                || routes(method).stream().anyMatch(route -> isFor(route, "FAILURE"));
    }

    /** Whether Quarkus calls the method when a WebSocket connection begins. */
    static boolean opensConnection(MethodInfo method) {
        return method.hasDeclaredAnnotation(ON_OPEN);
    }

    private static List<AnnotationInstance> routes(MethodInfo method) {
        if (method.hasDeclaredAnnotation(ROUTES)) {
            return List.of(method.declaredAnnotation(ROUTES).value().asNestedArray());
        }
        return method.hasDeclaredAnnotation(ROUTE) ? List.of(method.declaredAnnotation(ROUTE)) : List.of();
    }

    private static boolean isFor(AnnotationInstance route, String type) {
        AnnotationValue value = route.value("type");
        return value != null && value.asEnum().equals(type);
    }
}
