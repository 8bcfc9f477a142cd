package io.quarkiverse.ratelimit.langchain4j.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.runtime.langchain4j.TokenEstimate;

/** Estimates the tokens of the message templates of an AI service's method. */
final class MessageTemplates {

    private static final DotName SYSTEM = DotName.createSimple("dev.langchain4j.service.SystemMessage");
    private static final DotName USER = DotName.createSimple("dev.langchain4j.service.UserMessage");

    private MessageTemplates() {
    }

    static long tokens(MethodInfo method) {
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

    /** A missing resource is reported by Quarkus LangChain4j. */
    private static String text(String resource) {
        String path = resource.startsWith("/") ? resource.substring(1) : resource;
        try (InputStream text = Thread.currentThread().getContextClassLoader().getResourceAsStream(path)) {
            return text == null ? "" : new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The template " + resource + " cannot be read", e);
        }
    }
}
