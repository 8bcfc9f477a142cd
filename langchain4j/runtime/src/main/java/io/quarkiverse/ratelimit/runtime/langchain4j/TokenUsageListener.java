package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.listener.ChatModelRequestContext;
import dev.langchain4j.model.chat.listener.ChatModelResponseContext;
import dev.langchain4j.observability.api.event.AiServiceResponseReceivedEvent;
import dev.langchain4j.observability.api.event.AiServiceStartedEvent;
import dev.langchain4j.observability.api.event.ToolExecutedEvent;

/**
 * Learns the usage that models report. A call that blocks runs all its model calls on its own thread. The model calls of a
 * stream run anywhere, and are recognized by the invocation of the AI service. Models that are no beans have no listeners, so
 * events of the AI service report their responses.
 */
@Singleton
public class TokenUsageListener implements ChatModelListener {

    private static final Object CALL = TokenCall.class;

    private final Map<UUID, TokenCall> streams = new ConcurrentHashMap<>();

    @Override
    public void onRequest(ChatModelRequestContext request) {
        TokenCall call = TokenCall.current();
        if (call != null) {
            request.attributes().put(CALL, call);
            call.requests(request.chatRequest().modelName());
        }
    }

    @Override
    public void onResponse(ChatModelResponseContext response) {
        if (response.attributes().get(CALL) instanceof TokenCall call) {
            call.used(response.chatRequest().modelName(), response.chatResponse());
        }
    }

    void started(@Observes AiServiceStartedEvent event) {
        TokenCall call = TokenCall.current();
        UUID invocation = event.invocationContext().invocationId();
        if (call != null && call.startsStream(invocation)) {
            streams.put(invocation, call);
            if (call.limited().hasEnded()) {
                streams.remove(invocation);
            }
        }
    }

    void responded(@Observes AiServiceResponseReceivedEvent event) {
        TokenCall stream = streams.get(event.invocationContext().invocationId());
        TokenCall call = stream == null ? TokenCall.current() : null;
        if (stream != null) {
            stream.streamed(event.response());
        } else if (call != null) {
            call.returned(event.invocationContext().interfaceName(), event.response());
        }
    }

    void toolExecuted(@Observes ToolExecutedEvent event) {
        TokenCall stream = streams.get(event.invocationContext().invocationId());
        if (stream != null) {
            ModelRequests.continues(stream);
        }
    }

    void ended(TokenCall call) {
        if (call.invocation() != null) {
            streams.remove(call.invocation());
        }
    }
}
