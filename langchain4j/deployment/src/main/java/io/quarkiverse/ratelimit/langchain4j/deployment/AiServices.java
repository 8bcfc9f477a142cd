package io.quarkiverse.ratelimit.langchain4j.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.deployment.methods.LimitedInterfacesBuildItem;
import io.quarkiverse.ratelimit.runtime.langchain4j.BudgetedMethods;
import io.quarkiverse.ratelimit.runtime.langchain4j.TokenEstimate;

/** Reads the interfaces for which Quarkus LangChain4j creates AI service beans. */
final class AiServices {

    private static final DotName REGISTER = DotName.createSimple("io.quarkiverse.langchain4j.RegisterAiService");
    private static final DotName SYSTEM = DotName.createSimple("dev.langchain4j.service.SystemMessage");
    private static final DotName USER = DotName.createSimple("dev.langchain4j.service.UserMessage");
    private static final DotName TOKEN_STREAM = DotName.createSimple("dev.langchain4j.service.TokenStream");
    private static final DotName MULTI = DotName.createSimple("io.smallrye.mutiny.Multi");
    /** Beginning of the names of the default suppliers, which supply beans. */
    private static final String BEAN_SUPPLIERS = REGISTER + "$Bean";

    private AiServices() {
    }

    static LimitedInterfacesBuildItem interfaces() {
        return new LimitedInterfacesBuildItem(REGISTER, AiServices::mistake);
    }

    static boolean isStreaming(MethodInfo method) {
        return method.returnType().name().equals(MULTI);
    }

    /** Returns the name of the bean's class. */
    static DotName bean(ClassInfo service) {
        return DotName.createSimple(service.name() + BudgetedMethods.BEAN);
    }

    /** Returns the name of the model; {@code null} for the default model. */
    static String model(ClassInfo service) {
        AnnotationValue model = service.declaredAnnotation(REGISTER).value("modelName");
        return model == null ? null : model.asString();
    }

    /** Returns the name of the class that supplies the model of a method; {@code null} if the model is a bean. */
    static String modelSupplier(ClassInfo service, MethodInfo method) {
        AnnotationValue supplier = service.declaredAnnotation(REGISTER)
                .value(isStreaming(method) ? "streamingChatLanguageModelSupplier" : "chatLanguageModelSupplier");
        return supplier == null || supplier.asClass().name().toString().startsWith(BEAN_SUPPLIERS) ? null
                : supplier.asClass().name().toString();
    }

    /** Returns why an annotation on this method has no effect. */
    private static Optional<String> mistake(MethodInfo method) {
        return method.returnType().name().equals(TOKEN_STREAM)
                ? Optional.of(" cannot be settled, as the end of a TokenStream is not visible. Let it return a Multi instead.")
                : Optional.empty();
    }

    /** Estimates the tokens of the message templates of a method. */
    static long templateTokens(MethodInfo method) {
        AnnotationInstance system = method.declaredAnnotation(SYSTEM);
        return tokens(system == null ? method.declaringClass().declaredAnnotation(SYSTEM) : system)
                + tokens(method.declaredAnnotation(USER));
    }

    private static long tokens(AnnotationInstance message) {
        if (message == null) {
            return 0;
        }
        AnnotationValue resource = message.value("fromResource");
        return TokenEstimate.of(resource == null || resource.asString().isEmpty() ? text(message.value())
                : text(resource.asString()));
    }

    private static String text(AnnotationValue lines) {
        return lines == null ? "" : String.join("\n", lines.asStringArray());
    }

    /** Reads a template. Quarkus LangChain4j reports a missing resource. */
    private static String text(String resource) {
        String path = resource.startsWith("/") ? resource.substring(1) : resource;
        try (InputStream text = Thread.currentThread().getContextClassLoader().getResourceAsStream(path)) {
            return text == null ? "" : new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The template " + resource + " cannot be read", e);
        }
    }
}
