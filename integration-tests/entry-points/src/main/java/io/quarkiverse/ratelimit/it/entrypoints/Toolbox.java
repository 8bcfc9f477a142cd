package io.quarkiverse.ratelimit.it.entrypoints;

import jakarta.inject.Inject;

import io.quarkiverse.mcp.server.Prompt;
import io.quarkiverse.mcp.server.PromptMessage;
import io.quarkiverse.mcp.server.Resource;
import io.quarkiverse.mcp.server.ResourceTemplate;
import io.quarkiverse.mcp.server.TextResourceContents;
import io.quarkiverse.mcp.server.Tool;
import io.quarkiverse.mcp.server.ToolCallException;
import io.quarkiverse.mcp.server.WrapBusinessError;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.cache.CacheResult;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.mutiny.Uni;

/** Tools, prompts and resources of an MCP server. */
public class Toolbox {

    @Inject
    Courier courier;

    @Inject
    @RateLimitPolicy("mails")
    RateLimiter limiter;

    @Tool
    String unlimited() {
        return "unlimited";
    }

    @Tool
    @RateLimited("calls")
    String plain() {
        return "plain";
    }

    @Tool
    @RateLimited("calls")
    Uni<String> uni() {
        return Uni.createFrom().item(BlockingOperationControl.isBlockingAllowed() ? "on a worker" : "on an event loop");
    }

    @Tool
    @NonBlocking
    @RateLimited("calls")
    String nonBlocking() {
        return BlockingOperationControl.isBlockingAllowed() ? "on a worker" : "on an event loop";
    }

    @Tool
    @RunOnVirtualThread
    @RateLimited("calls")
    String virtual() {
        return "virtual";
    }

    @Tool
    @RateLimited("calls")
    @CacheResult(cacheName = "tools")
    String cached() {
        return "cached";
    }

    @Tool
    @RateLimited("calls")
    @CacheResult(cacheName = "tools-uni")
    Uni<String> cachedUni() {
        return Uni.createFrom().item("cached");
    }

    @Tool
    @RateLimited("calls")
    @WrapBusinessError
    String wrapped() {
        return "wrapped";
    }

    @dev.langchain4j.agent.tool.Tool
    @RateLimited("calls")
    String langchain4j() {
        return "langchain4j";
    }

    @Tool
    Uni<String> delivery() {
        return courier.send();
    }

    @Tool
    @WrapBusinessError
    Uni<String> wrappedDelivery() {
        return courier.send();
    }

    @Tool
    @WrapBusinessError
    String wrappedPlainDelivery() {
        return courier.send().await().indefinitely();
    }

    @Tool
    String ownText() {
        try {
            return limiter.forKey("tool").acquireOrThrow(2).policy();
        } catch (RateLimitExceededException e) {
            throw new ToolCallException("Ask again tomorrow.", e);
        }
    }

    @Tool
    String broken() {
        throw new IllegalStateException("broken");
    }

    @Tool
    @RateLimited("calls-by-user")
    String mine() {
        return "mine";
    }

    @Tool
    @RateLimited("calls-by-header")
    Uni<String> ofHeader() {
        return Uni.createFrom().item("of the header");
    }

    @Tool
    @RateLimited("by-argument")
    String search(@RateLimitKey String reader) {
        return reader;
    }

    @Prompt
    @RateLimited("calls")
    PromptMessage greeting() {
        return PromptMessage.withUserRole("hello");
    }

    @Prompt
    @RateLimited("calls")
    Uni<PromptMessage> greetingUni() {
        return Uni.createFrom().item(PromptMessage.withUserRole("hello"));
    }

    @Prompt
    PromptMessage withoutRedis() {
        throw new RateLimitUnavailableException(limiter.forKey("prompt").tryAcquire(2));
    }

    @Resource(uri = "file:///opening")
    @RateLimited("calls")
    TextResourceContents opening() {
        return TextResourceContents.create("file:///opening", "9 to 5");
    }

    @Resource(uri = "file:///parcel")
    Uni<TextResourceContents> parcel() {
        return courier.send().map(text -> TextResourceContents.create("file:///parcel", text));
    }

    @ResourceTemplate(uriTemplate = "file:///books/{title}")
    @RateLimited("calls")
    TextResourceContents book(String title) {
        return TextResourceContents.create("file:///books/" + title, title);
    }
}
