package io.quarkiverse.ratelimit.deployment;

import io.quarkus.builder.item.MultiBuildItem;

/** A property of another extension for each policy. The last part of its name must be that of a policy. */
public final class PolicyPropertyBuildItem extends MultiBuildItem {

    private final String name;

    /** @param name without the name of the policy, such as {@code quarkus.rate-limit.other.price} */
    public PolicyPropertyBuildItem(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }
}
