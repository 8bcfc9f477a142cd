package org.acme.llm;

import dev.langchain4j.service.SystemMessage;
import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Multi;

// tag::service[]
@RegisterAiService
@RateLimited("llm")
public interface Assistant {

    @SystemMessage("You are a helpful assistant.")
    String chat(@UserMessage String question);

    @SystemMessage("You are a helpful assistant.")
    Multi<String> stream(@UserMessage String question);
    // end::service[]

    // tag::estimate[]
    String summarize(@UserMessage String document, @RateLimitCost int estimate);
    // end::estimate[]
    // tag::service[]
}
// end::service[]
