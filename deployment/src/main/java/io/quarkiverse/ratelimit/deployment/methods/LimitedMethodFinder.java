package io.quarkiverse.ratelimit.deployment.methods;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;

/**
 * Finds all limited methods, including inherited ones. Annotations of a method replace those of its class. Annotations of
 * the nearest declaration replace those of other declarations.
 */
public final class LimitedMethodFinder {

    private static final DotName RATE_LIMITED = DotName.createSimple(RateLimited.class);
    private static final DotName RATE_LIMITED_LIST = DotName.createSimple(RateLimited.List.class);
    private static final DotName GRPC_DEFINITION = DotName.createSimple("io.grpc.ServerServiceDefinition");
    private static final DotName UNLIMITED = DotName.createSimple(Unlimited.class);

    private final IndexView index;
    private final ResourceMethods resources;
    private final RestClients clients;
    private final List<LimitedInterfacesBuildItem> others;

    /** @param others interfaces whose calls other extensions decide */
    public LimitedMethodFinder(IndexView index, ResourceMethods resources, RestClients clients,
            List<LimitedInterfacesBuildItem> others) {
        this.others = others;
        this.index = index;
        this.resources = resources;
        this.clients = clients;
    }

    List<FoundMethod> find() {
        List<FoundMethod> found = new ArrayList<>();
        for (ClassInfo type : candidates()) {
            Hierarchy hierarchy = new Hierarchy(type, index);
            ClassLimit ofClass = new ClassLimit(type, hierarchy, index, resources);
            boolean byExtension = LimitedInterfacesBuildItem.anyContains(others, type);
            for (List<MethodInfo> declarations : hierarchy.methods().values()) {
                MethodInfo declaration = declarations.get(0);
                AnnotationTarget annotated = annotated(hierarchy, declarations);
                List<PolicyUse> uses = annotated == null ? List.of() : uses(annotated);
                if (!uses.isEmpty() && isBusinessMethod(declaration)
                        && (annotated.kind() == AnnotationTarget.Kind.METHOD || ofClass.includes(declarations))
                        && !resources.isLocator(declarations)
                        && !resources.isProvider(declaration)
                        && (!byExtension || declaration.isAbstract())) {
                    List<MethodInfo> served = type.isInterface() ? List.of() : resources.served(declarations);
                    CallParameters parameters = DecisionParameters.of(declarations);
                    boolean byFilter = !served.isEmpty() && (parameters.isEmpty() || resources.knowArguments());
                    boolean resource = !served.isEmpty() || Callbacks.isRoute(declaration);
                    List<MethodInfo> known = byFilter ? served : List.of(declaration);
                    known.stream().map(method -> MethodId.of(type, method)).distinct()
                            .forEach(id -> found.add(new FoundMethod(type, declarations, annotated,
                                    new LimitedMethod(id, uses, resource, parameters, byFilter,
                                            Callbacks.ofConnection(declaration),
                                            annotated.kind() == AnnotationTarget.Kind.CLASS && !type.isInterface()),
                                    byExtension)));
                }
            }
        }
        return found;
    }

    private Set<ClassInfo> candidates() {
        Set<ClassInfo> candidates = new TreeSet<>(Comparator.comparing(ClassInfo::name));
        for (AnnotationInstance annotation : annotations()) {
            candidates.addAll(limited(annotation));
        }
        return candidates;
    }

    /**
     * Returns the annotated class and its subclasses or implementations. Includes only interfaces for which Quarkus creates
     * beans.
     */
    List<ClassInfo> limited(AnnotationInstance annotation) {
        ClassInfo type = annotation.target().kind() == AnnotationTarget.Kind.METHOD
                ? annotation.target().asMethod().declaringClass()
                : annotation.target().asClass();
        List<ClassInfo> limited = new ArrayList<>(List.of(type));
        if (type.isInterface()) {
            limited.addAll(index.getAllKnownSubinterfaces(type.name()));
            limited.addAll(index.getAllKnownImplementations(type.name()));
            limited.removeIf(candidate -> candidate.isInterface() && !clients.isClient(candidate)
                    && !LimitedInterfacesBuildItem.anyContains(others, candidate));
        } else {
            limited.addAll(index.getAllKnownSubclasses(type.name()));
        }
        return limited;
    }

    /** Returns all {@code @RateLimited} annotations of the application, single and repeated. */
    public List<AnnotationInstance> annotations() {
        List<AnnotationInstance> annotations = new ArrayList<>(index.getAnnotations(RATE_LIMITED));
        annotations.removeIf(annotation -> annotation.target() == null);
        annotations.addAll(index.getAnnotations(RATE_LIMITED_LIST));
        return annotations;
    }

    /** Returns all {@code @RateLimitKey} and {@code @RateLimitCost} annotations. */
    public List<AnnotationInstance> parameterAnnotations() {
        List<AnnotationInstance> annotations = new ArrayList<>(index.getAnnotations(DecisionParameters.KEY));
        annotations.addAll(index.getAnnotations(DecisionParameters.COST));
        annotations.removeIf(annotation -> annotation.target() == null
                || annotation.target().kind() != AnnotationTarget.Kind.METHOD_PARAMETER);
        return annotations;
    }

    /** Returns the method or class with the annotations that limit the method, or {@code null} if it is not limited. */
    private static AnnotationTarget annotated(Hierarchy hierarchy, List<MethodInfo> declarations) {
        for (MethodInfo declaration : declarations) {
            if (declaration.hasDeclaredAnnotation(UNLIMITED)) {
                return null;
            }
            if (isLimited(declaration)) {
                return declaration;
            }
        }
        Set<DotName> declaring = new HashSet<>();
        declarations.forEach(declaration -> declaring.add(declaration.declaringClass().name()));
        declaring.add(hierarchy.types().get(0).name());
        for (ClassInfo type : hierarchy.types()) {
            if (isLimited(type) && (!type.isInterface() || declaring.contains(type.name()))) {
                return type;
            }
        }
        return null;
    }

    /** Returns whether the declaration or its class limits a method, regardless of overriding methods. */
    public static boolean isDeclaredLimited(MethodInfo method) {
        return isLimited(method) || isLimited(method.declaringClass()) && !method.hasDeclaredAnnotation(UNLIMITED);
    }

    private static boolean isLimited(AnnotationTarget target) {
        return target.hasDeclaredAnnotation(RATE_LIMITED) || target.hasDeclaredAnnotation(RATE_LIMITED_LIST);
    }

    /** Returns the annotations declared on a method or class itself, in declaration order. */
    public static List<PolicyUse> uses(AnnotationTarget target) {
        List<PolicyUse> uses = new ArrayList<>();
        if (target.hasDeclaredAnnotation(RATE_LIMITED)) {
            uses.add(use(target.declaredAnnotation(RATE_LIMITED)));
        }
        if (target.hasDeclaredAnnotation(RATE_LIMITED_LIST)) {
            for (AnnotationInstance use : target.declaredAnnotation(RATE_LIMITED_LIST).value().asNestedArray()) {
                uses.add(use(use));
            }
        }
        return uses;
    }

    private static PolicyUse use(AnnotationInstance annotation) {
        AnnotationValue policy = annotation.value();
        AnnotationValue cost = annotation.value("cost");
        return new PolicyUse(policy == null ? "default" : policy.asString(), cost == null ? 1 : cost.asLong());
    }

    /** Excludes the method that returns a gRPC service definition, which gRPC calls only at the start. */
    private static boolean isBusinessMethod(MethodInfo method) {
        return !Modifier.isStatic(method.flags()) && !Modifier.isPrivate(method.flags())
                && !method.returnType().name().equals(GRPC_DEFINITION);
    }
}
