package io.quarkiverse.ratelimit.runtime.operate.admin;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.engine.limits.Change;

/**
 * A request of an operator or of a tool.
 *
 * @param parameters of the query, by name; {@code null} for one that is missing
 * @param body of a {@code PUT}
 * @param operator name of the operator; empty without a login
 */
public record AdminRequest(String method, Target target, UnaryOperator<String> parameters, Supplier<JsonInput> body,
        String operator) {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit.admin");
    private static final int MAX_REASON = 200;

    boolean puts() {
        return method.equals("PUT");
    }

    int number(String name, int usual) {
        String text = parameters.apply(name);
        try {
            return text == null ? usual : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new Problem(400, name + " must be a whole number, but is " + text + '.');
        }
    }

    /** Returns who changes something, and why: the {@code reason} of the body, or that of the query of a {@code DELETE}. */
    Change change(Instant now) {
        String given = puts() ? body.get().text("reason") : parameters.apply("reason");
        String reason = given == null ? "" : given.strip();
        if (reason.length() > MAX_REASON || reason.chars().anyMatch(Character::isISOControl)) {
            throw new Problem(400, "reason must have at most " + MAX_REASON + " characters, and no control characters such as"
                    + " line ends.");
        }
        return new Change(reason, operator, now.truncatedTo(ChronoUnit.SECONDS));
    }

    /** @param key its stored form; empty for a change of the policy */
    void log(String key, Change change) {
        String changed = !key.isEmpty() ? ' ' + key : target.kind().isOfKey() ? " all callers" : "";
        LOG.infof("%s: %s%s of policy %s%s%s", operator.isEmpty() ? "An operator" : operator,
                target.kind().methods.get(method), changed, target.policy(),
                puts() && body.get().has("duration") ? " for " + body.get().duration("duration").orElseThrow() : "",
                change.reason().isEmpty() ? "" : ": " + change.reason());
    }
}
