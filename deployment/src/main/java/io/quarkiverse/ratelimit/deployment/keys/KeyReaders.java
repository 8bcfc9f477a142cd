package io.quarkiverse.ratelimit.deployment.keys;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

import io.quarkiverse.ratelimit.deployment.keys.KeyProperties.Accessor;
import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodsBuildItem;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.start.RateLimitRecorder;
import io.quarkus.deployment.GeneratedClassGizmoAdaptor;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.builditem.GeneratedClassBuildItem;
import io.quarkus.deployment.recording.RecorderContext;
import io.quarkus.gizmo.ClassCreator;
import io.quarkus.gizmo.FieldDescriptor;
import io.quarkus.gizmo.MethodCreator;
import io.quarkus.gizmo.MethodDescriptor;
import io.quarkus.gizmo.ResultHandle;

/** Generates the classes that read properties of arguments, so that this needs no reflection. */
public final class KeyReaders {

    private static final MethodDescriptor OR_ELSE = MethodDescriptor.ofMethod(Optional.class, "orElse", Object.class,
            Object.class);

    private final LimitedMethodsBuildItem limited;
    private final KeyProperties properties;
    private final Predicate<DotName> applicationClasses;
    private final BuildProducer<GeneratedClassBuildItem> classes;
    private final RateLimitRecorder recorder;
    private final RecorderContext context;
    private final Set<String> generated = new HashSet<>();

    public KeyReaders(LimitedMethodsBuildItem limited, KeyProperties properties, Predicate<DotName> applicationClasses,
            BuildProducer<GeneratedClassBuildItem> classes, RateLimitRecorder recorder,
            RecorderContext context) {
        this.limited = limited;
        this.properties = properties;
        this.applicationClasses = applicationClasses;
        this.classes = classes;
        this.recorder = recorder;
        this.context = context;
    }

    /** Returns the limited methods with a reader for each property that is part of a key. */
    public List<LimitedMethod> methods() {
        return limited.methods().stream().map(found -> {
            CallParameters parameters = found.limited().parameters();
            return found.limited().with(new CallParameters(
                    parameters.keys().stream().map(key -> withReader(found, key)).toList(), parameters.cost()));
        }).toList();
    }

    /** Adds a reader to a key. A method whose type is still open gets none, because nothing calls it. */
    private CallParameters.Key withReader(FoundMethod found, CallParameters.Key key) {
        if (key.property().isEmpty()) {
            return key;
        }
        Type type = found.typeOf(key.index(), limited.index());
        if (KeyTypes.isOpen(type) && found.type().isAbstract()) {
            return key;
        }
        List<Accessor> path = properties.path(type, key.property());
        String name = path.get(0).owner().name() + "_RateLimitKey_" + key.property().replace('.', '_') + "_"
                + Integer.toHexString((type + " " + key.property()).hashCode());
        if (generated.add(name)) {
            generate(name, type, path);
        }
        return new CallParameters.Key(key.index(), key.property(), key.policies(), recorder.reader(context.newInstance(name)));
    }

    /** Generates the class in the package of the argument's class, which may be visible only there. */
    private void generate(String name, Type argument, List<Accessor> path) {
        var output = new GeneratedClassGizmoAdaptor(classes, applicationClasses.test(path.get(0).owner().name()));
        try (ClassCreator reader = ClassCreator.builder().classOutput(output).className(name).interfaces(Function.class)
                .build(); MethodCreator apply = reader.getMethodCreator("apply", Object.class, Object.class)) {
            ResultHandle value = apply.getMethodParam(0);
            Type type = argument;
            for (Accessor accessor : path) {
                apply.ifNull(value).trueBranch().returnNull();
                if (KeyTypes.valueOf(type) != type) {
                    value = apply.invokeVirtualMethod(OR_ELSE, apply.checkCast(value, Optional.class), apply.loadNull());
                    apply.ifNull(value).trueBranch().returnNull();
                }
                value = read(apply, accessor, value);
                type = accessor.type();
            }
            apply.returnValue(value);
        }
    }

    private static ResultHandle read(MethodCreator apply, Accessor accessor, ResultHandle object) {
        ClassInfo owner = accessor.owner();
        ResultHandle typed = apply.checkCast(object, owner.name().toString());
        if (accessor.member().kind() == AnnotationTarget.Kind.FIELD) {
            return apply.readInstanceField(FieldDescriptor.of(accessor.member().asField()), typed);
        }
        MethodInfo getter = accessor.member().asMethod();
        MethodDescriptor method = MethodDescriptor.ofMethod(owner.name().toString(), getter.name(),
                MethodDescriptor.of(getter).getReturnType());
        return owner.isInterface() ? apply.invokeInterfaceMethod(method, typed) : apply.invokeVirtualMethod(method, typed);
    }
}
