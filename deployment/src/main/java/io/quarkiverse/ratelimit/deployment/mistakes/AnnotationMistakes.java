package io.quarkiverse.ratelimit.deployment.mistakes;

import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import jakarta.enterprise.inject.spi.DeploymentException;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkiverse.ratelimit.deployment.methods.Callbacks;
import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.deployment.methods.LimitedInterfacesBuildItem;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodFinder;
import io.quarkiverse.ratelimit.deployment.methods.MethodId;
import io.quarkiverse.ratelimit.deployment.methods.ResourceMethods;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Reports all {@code @RateLimited} annotations that have no effect or invalid values, in one message. */
public final class AnnotationMistakes {

    private static final DotName CONTINUATION = DotName.createSimple("kotlin.coroutines.Continuation");

    private final ResourceMethods resources;
    private final List<LimitedInterfacesBuildItem> others;
    private final Set<String> mistakes = new TreeSet<>();

    /** @param others interfaces whose calls other extensions decide */
    public AnnotationMistakes(ResourceMethods resources, List<LimitedInterfacesBuildItem> others) {
        this.resources = resources;
        this.others = others;
    }

    /**
     * @param annotations all {@code @RateLimited} annotations
     * @param found the limited methods
     * @param more mistakes in the use of these annotations and of parameter annotations
     * @throws DeploymentException if there are mistakes
     */
    public void throwIfAny(List<AnnotationInstance> annotations, List<FoundMethod> found, Set<String> more) {
        mistakes.addAll(more);
        found.forEach(this::checkLimitedByClass);
        found.forEach(this::checkPartOfRequests);
        for (AnnotationInstance annotation : annotations) {
            AnnotationTarget target = annotation.target();
            String place = place(target);
            if (target.kind() == AnnotationTarget.Kind.METHOD) {
                checkMethod(target.asMethod(), place);
            } else {
                addIf(target.asClass().isAnnotation(), place, "an annotation does not pass it on."
                        + " Put it on the classes and methods themselves.");
            }
            checkUses(LimitedMethodFinder.uses(target), place);
        }
        if (!mistakes.isEmpty()) {
            throw new DeploymentException("Rate limits cannot be applied:\n- " + String.join("\n- ", mistakes));
        }
    }

    private void checkMethod(MethodInfo method, String place) {
        addIf(Modifier.isPrivate(method.flags()), place, "a private method cannot be intercepted."
                + " Make it at least package-private, or limit the method that calls it.");
        addIf(Modifier.isStatic(method.flags()), place, "a static method cannot be intercepted."
                + " Make it an instance method of a bean.");
        addIf(method.hasDeclaredAnnotation(Unlimited.class), place,
                "@Unlimited exempts the method. Keep the one that is meant.");
        addIf(resources.isLocator(List.of(method)), place, "it only locates a sub-resource."
                + " Annotate the sub-resource or its methods.");
        addIf(resources.isProvider(method), place, "Quarkus calls the method within requests. Annotate the resource methods.");
        addIf(isSuspend(method), place, "a Kotlin suspend function cannot be limited. Let it return a Uni instead.");
        for (LimitedInterfacesBuildItem interfaces : others) {
            interfaces.mistake(method).ifPresent(mistake -> mistakes.add("@RateLimited on " + place + mistake));
        }
    }

    private void addIf(boolean ineffective, String place, String reason) {
        if (ineffective) {
            mistakes.add("@RateLimited on " + place + " has no effect, as " + reason);
        }
    }

    /**
     * Checks a method that its class limits. Checks methods of an abstract class only in its subclasses, because these can
     * exempt them.
     */
    private void checkLimitedByClass(FoundMethod found) {
        if (found.annotated().kind() == AnnotationTarget.Kind.CLASS && isSuspend(found.declaration())
                && (found.isClient() || !found.type().isAbstract())) {
            mistakes.add("@RateLimited on " + place(found.annotated()) + " has no effect on " + place(found.declaration())
                    + ", as a Kotlin suspend function cannot be limited."
                    + " Let it return a Uni instead, or exempt it with @Unlimited.");
        }
    }

    /** Reports a method that handles part of other requests, because a denial would fail requests of the whole application. */
    private void checkPartOfRequests(FoundMethod found) {
        if (Callbacks.isPartOfRequests(found.declaration())) {
            mistakes.add("@RateLimited on " + place(found.annotated()) + " would deny requests that are not limited, as "
                    + place(found.declaration()) + " is a @RouteFilter or handles failures. Annotate the routes, or limit"
                    + " paths with quarkus.rate-limit.routes.*.");
        }
    }

    /** Returns whether the method is a suspend function, to which the compiler adds a last parameter. */
    private static boolean isSuspend(MethodInfo method) {
        int parameters = method.parametersCount();
        return parameters > 0 && method.parameterType(parameters - 1).name().equals(CONTINUATION);
    }

    private void checkUses(List<PolicyUse> uses, String place) {
        Set<String> seen = new HashSet<>();
        for (PolicyUse use : uses) {
            String annotation = "@RateLimited(\"" + use.policy() + "\") on " + place;
            if (!seen.add(use.policy())) {
                mistakes.add(annotation + " is there twice. Keep one and give it the cost that is meant.");
            }
            if (!Policy.isName(use.policy())) {
                mistakes.add(annotation + " is no name of a policy. Use 1 to 64 letters, digits, underscores and dashes.");
            }
            if (use.cost() < 1 || use.cost() > Limit.MAX_PERMITS) {
                mistakes.add(annotation + " has cost=" + use.cost() + ". Give it a cost from 1 to " + Limit.MAX_PERMITS + ".");
            }
        }
    }

    static String place(AnnotationTarget target) {
        return target.kind() == AnnotationTarget.Kind.METHOD
                ? MethodId.of(target.asMethod().declaringClass(), target.asMethod())
                : target.asClass().name().toString();
    }
}
