package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.UnaryOperator;

/** Finds the path parameters of the current resource method. */
public interface PathParameters {

    /** Returns values by name; {@code null} where no resource method runs. */
    UnaryOperator<String> ofCurrentMethod();
}
