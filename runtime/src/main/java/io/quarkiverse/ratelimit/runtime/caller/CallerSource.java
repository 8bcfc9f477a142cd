package io.quarkiverse.ratelimit.runtime.caller;

import io.smallrye.mutiny.Uni;

/** Finds who is behind the call that runs at the moment. */
public interface CallerSource {

    /**
     * Who is calling; {@link Caller#UNKNOWN} where no request is served.
     *
     * @param withPrincipal whether the caller's name is needed; only then authentication is triggered
     */
    Uni<Caller> current(boolean withPrincipal);
}
