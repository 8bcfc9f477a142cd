package io.quarkiverse.ratelimit.langchain4j.deployment;

import java.util.Optional;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.deployment.LimitedInterfacesBuildItem;

/** Finds the interfaces for which Quarkus LangChain4j creates AI service beans. */
final class AiServices {

    private static final DotName REGISTER = DotName.createSimple("io.quarkiverse.langchain4j.RegisterAiService");
    private static final DotName TOKEN_STREAM = DotName.createSimple("dev.langchain4j.service.TokenStream");
    private static final DotName MULTI = DotName.createSimple("io.smallrye.mutiny.Multi");
    private static final String BEAN_SUFFIX = "$$QuarkusImpl";

    private AiServices() {
    }

    static LimitedInterfacesBuildItem interfaces() {
        return new LimitedInterfacesBuildItem(REGISTER, AiServices::mistake);
    }

    static boolean isStreaming(MethodInfo method) {
        return method.returnType().name().equals(MULTI);
    }

    /** The name of the bean's class. */
    static DotName bean(ClassInfo service) {
        return DotName.createSimple(service.name() + BEAN_SUFFIX);
    }

    /** The name of the model; {@code null} for the default model. */
    static String model(ClassInfo service) {
        AnnotationInstance register = service.declaredAnnotation(REGISTER);
        AnnotationValue model = register.value("modelName");
        return model == null ? null : model.asString();
    }

    /** Why an annotation on this method has no effect. */
    private static Optional<String> mistake(MethodInfo method) {
        return method.returnType().name().equals(TOKEN_STREAM)
                ? Optional.of(" cannot be settled, as the end of a TokenStream is not visible. Let it return a Multi instead.")
                : Optional.empty();
    }
}
