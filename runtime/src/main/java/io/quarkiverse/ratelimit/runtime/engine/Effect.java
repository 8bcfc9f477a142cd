package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Locale;

/** What a policy did to a call; the later ones say more about it. */
public enum Effect {
    /** It does not limit the caller. */
    EXEMPT,
    /** The call went ahead. */
    ALLOWED,
    /** The call went ahead, though it was beyond the limit of a policy in shadow mode. */
    SHADOWED,
    /** The call was refused. */
    REFUSED;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** As it is seen from outside. */
    public String text() {
        return text;
    }
}
