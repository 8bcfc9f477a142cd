package io.quarkiverse.ratelimit.deployment.methods;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.OfConnection;

/** Finds the methods that Quarkus calls itself, such as reactive routes and scheduled methods, by their annotations. */
public final class Callbacks {

    public static final DotName CONSUME_EVENT = DotName.createSimple("io.quarkus.vertx.ConsumeEvent");
    private static final Set<DotName> SCHEDULED = names("io.quarkus.scheduler.", "Scheduled", "Scheduled$Schedules");
    private static final DotName ROUTE = DotName.createSimple("io.quarkus.vertx.web.Route");
    private static final DotName ROUTES = DotName.createSimple("io.quarkus.vertx.web.Route$Routes");
    private static final DotName ROUTE_FILTER = DotName.createSimple("io.quarkus.vertx.web.RouteFilter");
    private static final String WEBSOCKETS = "io.quarkus.websockets.next.";
    private static final DotName ON_OPEN = DotName.createSimple(WEBSOCKETS + "OnOpen");
    private static final Set<DotName> OF_CONNECTION = names(WEBSOCKETS, "OnOpen", "OnClose", "OnError", "OnPongMessage");
    private static final Set<DotName> OF_MESSAGE = names(WEBSOCKETS, "OnTextMessage", "OnBinaryMessage", "OnPingMessage");
    private static final Set<DotName> OF_OPERATION = names("", "org.eclipse.microprofile.graphql.Query",
            "org.eclipse.microprofile.graphql.Mutation", "io.smallrye.graphql.api.Subscription",
            "io.smallrye.graphql.api.federation.Resolver");
    private static final String MCP = "io.quarkiverse.mcp.server.";
    private static final DotName TOOL = DotName.createSimple(MCP + "Tool");
    /** A tool of AI services, and also of an MCP server if the application has one. */
    private static final DotName LANGCHAIN4J_TOOL = DotName.createSimple("dev.langchain4j.agent.tool.Tool");
    private static final Set<DotName> OF_MCP = names(MCP, "Tool", "Prompt", "Resource", "ResourceTemplate");

    private Callbacks() {
    }

    private static Set<DotName> names(String prefix, String... annotations) {
        return Stream.of(annotations).map(name -> DotName.createSimple(prefix + name)).collect(Collectors.toSet());
    }

    /** Returns whether the method is a reactive route that serves requests. */
    public static boolean isRoute(MethodInfo method) {
        return routes(method).stream().anyMatch(route -> !isFor(route, "FAILURE"));
    }

    /** Returns whether Quarkus calls the method as a reactive route on an event loop. */
    public static boolean isRouteOnEventLoop(MethodInfo method) {
        return routes(method).stream().anyMatch(route -> !isFor(route, "FAILURE") && !isFor(route, "BLOCKING"));
    }

    /** Returns whether Quarkus calls the method at certain times. */
    public static boolean isScheduled(MethodInfo method) {
        return hasOneOf(SCHEDULED, method);
    }

    /** Returns whether an MCP server calls the method as a tool. */
    public static boolean isTool(MethodInfo method) {
        return method.hasDeclaredAnnotation(TOOL) || method.hasDeclaredAnnotation(LANGCHAIN4J_TOOL);
    }

    /** Returns whether an MCP server calls the method as a tool, prompt, resource or resource template. */
    public static boolean isForMcp(MethodInfo method) {
        return isTool(method) || hasOneOf(OF_MCP, method);
    }

    /** Returns whether the method serves calls from outside the application, such as a route, a message or a tool. */
    static boolean servesCalls(MethodInfo method) {
        return isRoute(method) || hasOneOf(OF_MESSAGE, method) || hasOneOf(OF_OPERATION, method) || hasOneOf(OF_MCP, method);
    }

    /** Returns whether the method handles something else than a call. An annotation on its class does not limit it. */
    static boolean handlesNoCall(MethodInfo method) {
        return hasOneOf(OF_CONNECTION, method) || isPartOfRequests(method);
    }

    /** Returns whether Quarkus calls the method in addition to routes: for each request, or for a failed one. */
    public static boolean isPartOfRequests(MethodInfo method) {
        return method.hasDeclaredAnnotation(ROUTE_FILTER) || routes(method).stream().anyMatch(route -> isFor(route, "FAILURE"));
    }

    private static boolean hasOneOf(Set<DotName> annotations, MethodInfo method) {
        return method.declaredAnnotations().stream().anyMatch(annotation -> annotations.contains(annotation.name()));
    }

    /** Returns what Quarkus calls the method for. */
    static OfConnection ofConnection(MethodInfo method) {
        return method.hasDeclaredAnnotation(ON_OPEN) ? OfConnection.OPENING
                : hasOneOf(OF_MESSAGE, method) ? OfConnection.MESSAGE : OfConnection.NONE;
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
