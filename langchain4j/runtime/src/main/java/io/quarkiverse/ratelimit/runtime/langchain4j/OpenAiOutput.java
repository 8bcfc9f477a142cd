package io.quarkiverse.ratelimit.runtime.langchain4j;

import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.openai.OpenAiChatRequestParameters;

/** Reads the second maximum that models of OpenAI have. Only loaded where the application has such a model. */
final class OpenAiOutput {

    private OpenAiOutput() {
    }

    /** The most tokens of a response; {@code null} where it is not configured. */
    static Integer most(ChatRequestParameters parameters) {
        Integer completion = ((OpenAiChatRequestParameters) parameters).maxCompletionTokens();
        return completion == null ? parameters.maxOutputTokens() : completion;
    }
}
