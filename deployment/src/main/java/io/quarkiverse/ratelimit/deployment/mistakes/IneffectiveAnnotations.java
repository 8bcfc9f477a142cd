package io.quarkiverse.ratelimit.deployment.mistakes;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;

import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodsBuildItem;
import io.quarkus.arc.deployment.CustomScopeAnnotationsBuildItem;
import io.quarkus.arc.deployment.SynthesisFinishedBuildItem;
import io.quarkus.arc.processor.InjectionPointInfo;

/**
 * Finds {@code @RateLimited} annotations without effect: Quarkus neither intercepts the class nor serves it. Such an
 * annotation is not always a mistake. An application may not use all classes of a library, and a profile may exclude
 * beans. So this class ignores classes with a scope, which are beans.
 */
public final class IneffectiveAnnotations {

    private static final DotName PROXY = DotName.createSimple("io.quarkus.arc.InterceptionProxy");

    private final LimitedMethodsBuildItem limited;
    private final CustomScopeAnnotationsBuildItem scopes;
    private final Set<DotName> decided = new HashSet<>();
    private final Set<DotName> decidedByFilter = new HashSet<>();

    public IneffectiveAnnotations(LimitedMethodsBuildItem limited, SynthesisFinishedBuildItem beans,
            CustomScopeAnnotationsBuildItem scopes) {
        this.limited = limited;
        this.scopes = scopes;
        beans.beanStream().classBeans().forEach(bean -> decided.add(bean.getImplClazz().name()));
        for (InjectionPointInfo point : beans.getInjectionPoints()) {
            if (point.getRequiredType().name().equals(PROXY)) {
                decided.add(point.getRequiredType().asParameterizedType().arguments().get(0).name());
            }
        }
        for (FoundMethod found : limited.methods()) {
            if (found.isClient()) {
                decided.add(found.type().name());
            } else if (found.byFilter()) {
                decidedByFilter.add(found.type().name());
            }
        }
    }

    /** Returns a warning for each such annotation, sorted. */
    public Set<String> warnings() {
        Set<String> warnings = new TreeSet<>();
        limited.limited().forEach((annotation, limited) -> {
            List<ClassInfo> classes = limited.stream()
                    .filter(type -> type.isInterface() || !type.isAbstract()).toList();
            if (!classes.isEmpty() && classes.stream().noneMatch(type -> mayBeDecided(type, annotation.target()))) {
                warnings.add("@RateLimited on " + AnnotationMistakes.place(annotation.target()) + " has no effect, as "
                        + classes.get(0).name() + " is neither a CDI bean nor a resource. Give it a scope like"
                        + " @ApplicationScoped; objects made by producer methods or by new are not limited.");
            } else if (limited.isEmpty()) {
                warnings.add("@RateLimited on " + AnnotationMistakes.place(annotation.target()) + " has no effect, as no class"
                        + " implements the interface. An AI service of Quarkus LangChain4j needs"
                        + " quarkus-rate-limit-langchain4j.");
            }
        });
        return warnings;
    }

    private boolean mayBeDecided(ClassInfo type, AnnotationTarget annotated) {
        return decided.contains(type.name()) || scopes.isScopeDeclaredOn(type)
                || decidedByFilter.contains(type.name()) && !needsInterceptor(type, annotated);
    }

    /** Returns whether this annotation limits no method that the filter decides, but only other methods of the class. */
    private boolean needsInterceptor(ClassInfo type, AnnotationTarget annotated) {
        List<FoundMethod> limitedByIt = limited.methods().stream()
                .filter(found -> found.type().equals(type) && found.annotated().equals(annotated)).toList();
        return !limitedByIt.isEmpty() && limitedByIt.stream().noneMatch(FoundMethod::byFilter);
    }
}
