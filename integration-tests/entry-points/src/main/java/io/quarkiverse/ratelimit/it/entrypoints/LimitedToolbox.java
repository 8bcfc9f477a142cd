package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.List;

import io.quarkiverse.mcp.server.CompleteArg;
import io.quarkiverse.mcp.server.CompletePrompt;
import io.quarkiverse.mcp.server.Prompt;
import io.quarkiverse.mcp.server.PromptArg;
import io.quarkiverse.mcp.server.PromptMessage;
import io.quarkiverse.mcp.server.Tool;
import io.quarkiverse.ratelimit.RateLimited;

/** The annotation on the class counts tools, prompts and resources only. */
@RateLimited("operations")
public class LimitedToolbox {

    @Tool
    String shelf() {
        return shelfOf("novels");
    }

    @Prompt
    PromptMessage review(@PromptArg String title) {
        return PromptMessage.withUserRole("Review " + title);
    }

    @CompletePrompt("review")
    List<String> titles(@CompleteArg String title) {
        return List.of("Emma");
    }

    String shelfOf(String kind) {
        return "shelf of " + kind;
    }
}
