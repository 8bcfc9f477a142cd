package io.quarkiverse.ratelimit.runtime.ai;

import java.util.List;

/** The limited methods of all AI services. */
public record AiServiceRegistry(List<AiServiceMethod> all) {
}
