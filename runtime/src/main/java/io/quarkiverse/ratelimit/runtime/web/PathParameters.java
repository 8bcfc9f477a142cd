package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.UnaryOperator;

/** Finds the path parameters of the resource method that runs at the moment. */
interface PathParameters {

    /** Their values by their names; {@code null} where no resource method runs. */
    UnaryOperator<String> ofCurrentMethod();
}
