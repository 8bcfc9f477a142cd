package io.quarkiverse.ratelimit.deployment.mistakes;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.deployment.methods.Callbacks;
import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.deployment.methods.RestServer;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;

/** Warns of keys that are the whole body of a request: of resource methods, texts without an annotation of the REST server. */
public record BodyKeys(IndexView index, RestServer server) {

    private static final DotName PATH = DotName.createSimple("jakarta.ws.rs.Path");
    private static final Pattern PATH_PARAMETER = Pattern.compile("\\{\\s*([^:}\\s]+)");
    private static final List<String> REST = List.of("jakarta.ws.rs.", "org.jboss.resteasy.");

    public Set<String> warnings(List<FoundMethod> limited) {
        Set<String> warnings = new TreeSet<>();
        for (FoundMethod found : limited) {
            for (CallParameters.Key key : found.limited().parameters().keys()) {
                if (found.limited().resource() && !Callbacks.isRoute(found.declaration()) && isBody(found, key)) {
                    warnings.add("@RateLimitKey on parameter " + (key.index() + 1) + " of " + found.limited().id()
                            + " makes the whole body of the request the key. If it contains a password, each guess is a caller"
                            + " of its own. Make the body an object and name its property, as in @RateLimitKey(\"user\"), or"
                            + " say where the parameter comes from, as in @FormParam.");
                }
            }
        }
        return warnings;
    }

    private boolean isBody(FoundMethod found, CallParameters.Key key) {
        return key.property().isEmpty() && found.typeOf(key.index(), index).name().equals(DotName.STRING_NAME)
                && found.declarations().stream().noneMatch(declaration -> isInjected(declaration, key.index()))
                && !(server == RestServer.QUARKUS_REST && isPathParameter(found, key.index()));
    }

    private static boolean isInjected(MethodInfo declaration, int parameter) {
        return declaration.parameters().get(parameter).declaredAnnotations().stream()
                .anyMatch(annotation -> REST.stream().anyMatch(annotation.name().toString()::startsWith));
    }

    /** Returns whether this is a path parameter. Quarkus REST finds path parameters by the name of the Java parameter, too. */
    private static boolean isPathParameter(FoundMethod found, int parameter) {
        Set<String> names = new HashSet<>();
        addPathParameters(found.type(), names);
        for (MethodInfo declaration : found.declarations()) {
            addPathParameters(declaration, names);
            addPathParameters(declaration.declaringClass(), names);
        }
        return found.declarations().stream().anyMatch(declaration -> names.contains(declaration.parameterName(parameter)));
    }

    private static void addPathParameters(AnnotationTarget target, Set<String> names) {
        if (target.hasDeclaredAnnotation(PATH)) {
            Matcher parameter = PATH_PARAMETER.matcher(target.declaredAnnotation(PATH).value().asString());
            while (parameter.find()) {
                names.add(parameter.group(1));
            }
        }
    }
}
