package org.acme.llm;

import jakarta.enterprise.context.ApplicationScoped;

import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;

// tag::service[]
@RegisterAiService
@ApplicationScoped
@RateLimited("reports")
public interface Reporter {

    String report(@RateLimitKey String customer, @UserMessage String figures);
}
// end::service[]
