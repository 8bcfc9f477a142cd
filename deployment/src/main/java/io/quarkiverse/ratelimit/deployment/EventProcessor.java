package io.quarkiverse.ratelimit.deployment;

import java.util.Set;
import java.util.stream.Collectors;

import jakarta.enterprise.event.Event;
import jakarta.inject.Singleton;

import org.jboss.jandex.ClassType;
import org.jboss.jandex.DotName;
import org.jboss.jandex.ParameterizedType;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.observe.ApproachedLimits;
import io.quarkiverse.ratelimit.runtime.observe.AsyncEvents;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkus.arc.deployment.BeanDiscoveryFinishedBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem.ExtendedBeanConfigurator;
import io.quarkus.arc.processor.ObserverInfo;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Registers the beans that fire events, if the application observes them. */
class EventProcessor {

    @BuildStep
    void events(BeanDiscoveryFinishedBuildItem discovered, BuildProducer<SyntheticBeanBuildItem> beans) {
        Set<DotName> observed = discovered.getObservers().stream().filter(ObserverInfo::isAsync)
                .map(observer -> observer.getObservedType().name()).collect(Collectors.toSet());
        if (isObserved(RateLimitExceeded.class, observed)) {
            beans.produce(firing(RateLimitExceeded.class, SyntheticBeanBuildItem.configure(DecisionObserver.class)
                    .addInjectionPoint(ClassType.create(LimiterClock.class)).creator(AsyncEvents.ExceededCreator.class)));
        }
        if (isObserved(RateLimitApproached.class, observed)) {
            beans.produce(firing(RateLimitApproached.class, SyntheticBeanBuildItem.configure(ApproachedLimits.Listener.class)
                    .creator(AsyncEvents.ApproachedCreator.class)));
        }
    }

    private static boolean isObserved(Class<?> event, Set<DotName> observed) {
        return observed.contains(DotName.createSimple(event)) || observed.contains(DotName.OBJECT_NAME);
    }

    private static SyntheticBeanBuildItem firing(Class<?> event, ExtendedBeanConfigurator bean) {
        return bean.scope(Singleton.class).unremovable()
                .addInjectionPoint(ParameterizedType.create(Event.class, ClassType.create(event))).done();
    }
}
