package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.util.List;
import java.util.function.Supplier;

import io.quarkus.runtime.annotations.Recorder;

/** Passes the limited methods of AI services that the build found to the application. */
@Recorder
public class AiServiceRecorder {

    public Supplier<AiServiceRegistry> methods(List<AiServiceRegistry.AiServiceMethod> methods) {
        AiServiceRegistry found = new AiServiceRegistry(methods);
        return () -> found;
    }
}
