package io.quarkiverse.ratelimit.runtime.api;

import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.CostSettlement;
import io.quarkiverse.ratelimit.runtime.engine.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.admin.Administration;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.settings.Settings;

/**
 * Holds what the limiters of all policies share.
 *
 * @param instance identifies this instance among all others
 * @param requests finds the request in which a limiter is called; its caller may have a plan
 */
record LimiterParts(Settings settings, CodeCalls calls, LimitsInForce limits, Refunds refunds,
        CostSettlement settlement, LeaseRenewal leases, Administration administration, String instance,
        RequestLookup requests) {
}
