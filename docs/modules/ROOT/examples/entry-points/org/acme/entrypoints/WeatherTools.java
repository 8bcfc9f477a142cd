package org.acme.entrypoints;

import io.quarkiverse.mcp.server.Prompt;
import io.quarkiverse.mcp.server.PromptMessage;
import io.quarkiverse.mcp.server.Tool;
import io.quarkiverse.mcp.server.ToolArg;
import io.quarkiverse.ratelimit.RateLimited;

/** Offers the weather to language models. */
// tag::tools[]
public class WeatherTools {

    @Tool(description = "Returns the forecast for a city.")
    @RateLimited("forecast-tool")
    String forecast(@ToolArg(description = "name of the city") String city) {
        return "Sunny in " + city + ".";
    }

    @Prompt(description = "Asks for a report about the weather.")
    @RateLimited("report-prompt")
    PromptMessage report() {
        return PromptMessage.withUserRole("Write a report about the weather.");
    }
}
// end::tools[]
