package io.quarkiverse.ratelimit.deployment;

import java.util.Set;
import java.util.stream.Collectors;

import jakarta.enterprise.event.ObservesAsync;

import org.jboss.jandex.DotName;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.runtime.observe.AsyncEvents;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;

/** Registers the beans that fire events, if the application observes them. */
class EventProcessor {

    @BuildStep
    void beans(CombinedIndexBuildItem index, BuildProducer<AdditionalBeanBuildItem> beans) {
        Set<DotName> observed = index.getIndex().getAnnotations(ObservesAsync.class).stream()
                .map(observer -> observer.target().asMethodParameter().type().name()).collect(Collectors.toSet());
        if (isObserved(RateLimitExceeded.class, observed)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(AsyncEvents.ExceededLimits.class));
        }
        if (isObserved(RateLimitApproached.class, observed)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(AsyncEvents.EnforcedLimits.class));
        }
    }

    private static boolean isObserved(Class<?> event, Set<DotName> observed) {
        return observed.contains(DotName.createSimple(event)) || observed.contains(DotName.OBJECT_NAME);
    }
}
