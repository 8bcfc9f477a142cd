package io.quarkiverse.ratelimit.deployment.methods;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/** Finds the methods that fault tolerance calls within another call: as its fallback, or before it is repeated. */
record FaultToleranceCalls(Hierarchy hierarchy, IndexView index) {

    private static final DotName FALLBACK = DotName.createSimple("org.eclipse.microprofile.faulttolerance.Fallback");
    private static final DotName BEFORE_RETRY = DotName.createSimple("io.smallrye.faulttolerance.api.BeforeRetry");

    /** Returns the nearest declarations of these methods. */
    Set<MethodInfo> methods() {
        Set<String> named = new HashSet<>();
        hierarchy.methods().forEach((signature, declarations) -> {
            String parameters = signature.substring(signature.indexOf('('));
            names(FALLBACK, "fallbackMethod", declarations).map(name -> "#" + name + parameters)
                    .filter(fallback -> !fallback.equals(signature)).forEach(named::add);
            names(BEFORE_RETRY, "methodName", declarations).map(name -> "#" + name + "()").forEach(named::add);
        });
        return hierarchy.methods().entrySet().stream()
                .filter(method -> named.contains(method.getKey())
                        || named.contains(withoutFailure(method.getKey(), method.getValue().get(0))))
                .map(method -> method.getValue().get(0)).collect(Collectors.toSet());
    }

    /** Returns the names of methods that annotations contain, on a method or on its class. */
    private Stream<String> names(DotName annotation, String element, List<MethodInfo> declarations) {
        return Stream.<AnnotationTarget> concat(declarations.stream(), hierarchy.types().stream())
                .map(target -> target.declaredAnnotation(annotation)).filter(Objects::nonNull)
                .map((AnnotationInstance present) -> present.value(element)).filter(Objects::nonNull)
                .map(AnnotationValue::asString);
    }

    /** Returns the signature without a last parameter that is a failure, which such a method may have in addition. */
    private String withoutFailure(String signature, MethodInfo method) {
        int last = method.parametersCount() - 1;
        if (last < 0 || !isFailure(method.parameterType(last).name())) {
            return signature;
        }
        return signature.substring(0, last == 0 ? signature.indexOf('(') + 1 : signature.lastIndexOf(',')) + ")";
    }

    /** Recognizes classes that are not indexed, such as those of the JDK, by their name. */
    private boolean isFailure(DotName type) {
        ClassInfo indexed = index.getClassByName(type);
        return indexed == null || indexed.superName() == null ? type.toString().matches(".*(Throwable|Exception|Error)")
                : isFailure(indexed.superName());
    }
}
