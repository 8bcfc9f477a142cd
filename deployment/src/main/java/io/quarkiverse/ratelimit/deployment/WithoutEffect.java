package io.quarkiverse.ratelimit.deployment;

import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;

import io.quarkus.arc.deployment.CustomScopeAnnotationsBuildItem;
import io.quarkus.arc.deployment.SynthesisFinishedBuildItem;
import io.quarkus.arc.processor.InjectionPointInfo;

/**
 * Finds annotations that nothing enforces, as Quarkus neither intercepts the objects of the class nor serves them. They are
 * no mistakes for sure: a library may have classes that an application does not use, a profile may leave beans out. So a
 * class with a scope, which is meant to be a bean, is none of them.
 */
final class WithoutEffect {

    private static final DotName PROXY = DotName.createSimple("io.quarkus.arc.InterceptionProxy");

    private final GuardedMethodsBuildItem guarded;
    private final CustomScopeAnnotationsBuildItem scopes;
    private final Set<DotName> decided = new HashSet<>();

    WithoutEffect(GuardedMethodsBuildItem guarded, SynthesisFinishedBuildItem beans,
            CustomScopeAnnotationsBuildItem scopes) {
        this.guarded = guarded;
        this.scopes = scopes;
        beans.beanStream().classBeans().forEach(bean -> decided.add(bean.getImplClazz().name()));
        for (InjectionPointInfo point : beans.getInjectionPoints()) {
            if (point.getRequiredType().name().equals(PROXY)) {
                decided.add(point.getRequiredType().asParameterizedType().arguments().get(0).name());
            }
        }
        for (Found found : guarded.methods()) {
            if (found.byFilter() || found.isClient()) {
                decided.add(found.type().name());
            }
        }
    }

    /** What to tell of each such annotation, sorted. */
    Set<String> warnings() {
        Set<String> warnings = new TreeSet<>();
        guarded.limited().forEach((annotation, limited) -> {
            List<ClassInfo> classes = limited.stream()
                    .filter(type -> type.isInterface() || !Modifier.isAbstract(type.flags())).toList();
            if (!classes.isEmpty() && classes.stream().noneMatch(this::mayBeDecided)) {
                warnings.add("@RateLimited on " + AnnotationMistakes.place(annotation.target()) + " has no effect, as "
                        + classes.get(0).name() + " is neither a CDI bean nor a resource. Give it a scope like"
                        + " @ApplicationScoped; objects made by producer methods or by new are not limited.");
            }
        });
        return warnings;
    }

    private boolean mayBeDecided(ClassInfo type) {
        return decided.contains(type.name()) || scopes.isScopeDeclaredOn(type);
    }
}
