package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

/** Finds the methods that reactive routes, WebSockets Next and GraphQL call, by their annotations. */
final class Callbacks {

    private static final DotName ROUTE = DotName.createSimple("io.quarkus.vertx.web.Route");
    private static final DotName ROUTES = DotName.createSimple("io.quarkus.vertx.web.Route$Routes");
    private static final DotName ON_OPEN = DotName.createSimple("io.quarkus.websockets.next.OnOpen");
    private static final DotName ROUTE_FILTER = DotName.createSimple("io.quarkus.vertx.web.RouteFilter");
    private static final Set<DotName> OF_CONNECTION = Set.of(ON_OPEN,
            DotName.createSimple("io.quarkus.websockets.next.OnClose"),
            DotName.createSimple("io.quarkus.websockets.next.OnError"),
            DotName.createSimple("io.quarkus.websockets.next.OnPongMessage"));
    private static final Set<DotName> OF_CALL = Set.of(DotName.createSimple("io.quarkus.websockets.next.OnTextMessage"),
            DotName.createSimple("io.quarkus.websockets.next.OnBinaryMessage"),
            DotName.createSimple("io.quarkus.websockets.next.OnPingMessage"),
            DotName.createSimple("org.eclipse.microprofile.graphql.Query"),
            DotName.createSimple("org.eclipse.microprofile.graphql.Mutation"),
            DotName.createSimple("io.smallrye.graphql.api.Subscription"),
            DotName.createSimple("io.smallrye.graphql.api.federation.Resolver"));

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

    /** Whether the method serves calls from outside the application: a route, a message, or a GraphQL operation. */
    static boolean servesCalls(MethodInfo method) {
        return isRoute(method) || hasOneOf(OF_CALL, method);
    }

    /** Whether the method handles something else than a call. An annotation on its class does not limit it. */
    static boolean handlesNoCall(MethodInfo method) {
        return hasOneOf(OF_CONNECTION, method) || isPartOfRequests(method);
    }

    /** Whether Quarkus calls the method in addition to routes: for each request, or for a failed one. */
    static boolean isPartOfRequests(MethodInfo method) {
        return method.hasDeclaredAnnotation(ROUTE_FILTER) || routes(method).stream().anyMatch(route -> isFor(route, "FAILURE"));
    }

    private static boolean hasOneOf(Set<DotName> annotations, MethodInfo method) {
        return method.declaredAnnotations().stream().anyMatch(annotation -> annotations.contains(annotation.name()));
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
