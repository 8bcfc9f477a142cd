package io.quarkiverse.ratelimit.deployment;

import java.util.Set;

import jakarta.enterprise.event.Event;
import jakarta.inject.Singleton;

import org.jboss.jandex.ClassType;
import org.jboss.jandex.DotName;
import org.jboss.jandex.ParameterizedType;
import org.jboss.jandex.Type;

import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.observe.ExceededEvents;
import io.quarkiverse.ratelimit.runtime.observe.ObserverFailures;
import io.quarkus.arc.AsyncObserverExceptionHandler;
import io.quarkus.arc.deployment.BeanDiscoveryFinishedBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.processor.ObserverInfo;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Registers the beans that fire events for denials, if the application observes them. */
class EventProcessor {

    private static final DotName EXCEEDED = DotName.createSimple(RateLimitExceeded.class);
    private static final Set<DotName> OBSERVED = Set.of(EXCEEDED, DotName.createSimple(Record.class), DotName.OBJECT_NAME);

    @BuildStep
    void events(BeanDiscoveryFinishedBuildItem discovered, BuildProducer<SyntheticBeanBuildItem> beans) {
        if (discovered.getObservers().stream().anyMatch(EventProcessor::observesDenials)) {
            beans.produce(SyntheticBeanBuildItem.configure(ExceededEvents.class).types(DecisionObserver.class)
                    .scope(Singleton.class).unremovable()
                    .addInjectionPoint(ParameterizedType.create(Event.class, ClassType.create(EXCEEDED)))
                    .creator(ExceededEvents.Creator.class).done());
            // precedes the default handler of Quarkus; a handler of the application precedes both
            beans.produce(SyntheticBeanBuildItem.configure(ObserverFailures.class).types(AsyncObserverExceptionHandler.class)
                    .scope(Singleton.class).defaultBean().priority(1).unremovable()
                    .creator(ObserverFailures.Creator.class).done());
        }
    }

    private static boolean observesDenials(ObserverInfo observer) {
        Type observed = observer.getObservedType();
        return observer.isAsync() && OBSERVED.contains(observed.name());
    }
}
