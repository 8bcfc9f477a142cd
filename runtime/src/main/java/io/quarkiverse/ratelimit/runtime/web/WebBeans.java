package io.quarkiverse.ratelimit.runtime.web;

import java.time.Clock;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.settings.Settings;

/** Provides what answers requests to resource methods. */
@Singleton
public class WebBeans {

    @Produces
    @Singleton
    AnswerHeaders headers(Settings settings) {
        return new AnswerHeaders(settings, Clock.systemUTC());
    }

    @Produces
    @Singleton
    RefusalAnswer answer(Settings settings, AnswerHeaders headers) {
        return new RefusalAnswer(settings, headers);
    }
}
