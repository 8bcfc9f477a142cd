package org.acme.llm;

import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimited;

// tag::service[]
@RegisterAiService
@RateLimited("llm")
@RateLimited("dollars")
public interface Advisor {

    String advise(String question);
}
// end::service[]
