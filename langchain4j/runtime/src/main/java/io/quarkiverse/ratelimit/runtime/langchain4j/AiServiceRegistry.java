package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.util.List;

/** The limited methods of all AI services. */
public record AiServiceRegistry(List<AiServiceMethod> all) {
}
