package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.util.List;
import java.util.function.Supplier;

import io.quarkus.runtime.annotations.Recorder;

/** Passes the limited methods of AI services that the build found to the application. */
@Recorder
public class AiServiceRecorder {

    public Supplier<AiServiceMethods> methods(List<AiServiceMethod> methods) {
        AiServiceMethods found = new AiServiceMethods(methods);
        return () -> found;
    }

    /** The limited methods of all AI services. */
    public record AiServiceMethods(List<AiServiceMethod> all) {
    }

    /**
     * A limited method of an AI service.
     *
     * @param id method, as in {@code LimitedMethod}
     * @param model name of its model; {@code null} for the default model
     * @param modelSupplier class that supplies its model, which is no bean; {@code null} for a bean
     * @param streaming whether it uses the streaming model
     * @param templateTokens estimated tokens of its message templates
     */
    public record AiServiceMethod(String id, String model, String modelSupplier, boolean streaming,
            long templateTokens) {
    }
}
