package io.quarkiverse.ratelimit.deployment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.processor.scanning.MethodScanner;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodsBuildItem;
import io.quarkiverse.ratelimit.deployment.methods.RestServer;
import io.quarkiverse.ratelimit.runtime.engine.limits.InvalidCost;
import io.quarkiverse.ratelimit.runtime.entry.http.DenialMapper;
import io.quarkiverse.ratelimit.runtime.entry.http.InvalidCostMapper;
import io.quarkiverse.ratelimit.runtime.entry.rest.RateLimitFilter;
import io.quarkiverse.ratelimit.runtime.entry.rest.RestDenialMapper;
import io.quarkiverse.ratelimit.runtime.entry.rest.RestWork;
import io.quarkiverse.ratelimit.runtime.entry.rest.RestWork.RouteBinding;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.resteasy.reactive.server.spi.MethodScannerBuildItem;
import io.quarkus.resteasy.reactive.spi.ContainerRequestFilterBuildItem;
import io.quarkus.resteasy.reactive.spi.ExceptionMapperBuildItem;

/** Registers the entry point for HTTP requests if the application has Quarkus REST. */
class RestProcessor {

    @BuildStep
    void beansFilterAndMappers(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans,
            BuildProducer<ContainerRequestFilterBuildItem> filters, BuildProducer<ExceptionMapperBuildItem> mappers) {
        if (RestServer.of(capabilities) != RestServer.QUARKUS_REST) {
            return;
        }
        beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(RestWork.OfResource.class, RestDenialMapper.class)
                .build());
        filters.produce(new ContainerRequestFilterBuildItem.Builder(RateLimitFilter.class.getName())
                .setNameBindingNames(Set.of(RateLimitFilter.NAME))
                .setPriority(Integer.MIN_VALUE)
                .setNonBlockingRequired(true)
                .build());
        for (Class<?> denial : List.of(RateLimitExceededException.class, RateLimitUnavailableException.class)) {
            mappers.produce(new ExceptionMapperBuildItem.Builder(RestDenialMapper.class.getName(), denial.getName())
                    .setPriority(DenialMapper.PRIORITY).build());
        }
        mappers.produce(new ExceptionMapperBuildItem.Builder(InvalidCostMapper.class.getName(),
                InvalidCost.OfRequest.class.getName()).setPriority(DenialMapper.PRIORITY).build());
    }

    /** Binds the filters. Only Quarkus REST consumes this build item. */
    @BuildStep
    MethodScannerBuildItem bindFilters(LimitedMethodsBuildItem limited) {
        return new MethodScannerBuildItem(new MethodScanner() {
            @Override
            public List<HandlerChainCustomizer> scan(MethodInfo method, ClassInfo resource, Map<String, Object> context) {
                List<HandlerChainCustomizer> customizers = new ArrayList<>();
                limited.decidedByFilter(resource, method).ifPresent(found -> customizers.add(
                        found.limited().parameters().isEmpty() ? new RateLimitFilter.Binding()
                                : new RateLimitFilter.OfArguments()));
                customizers.add(new RouteBinding());
                return customizers;
            }
        });
    }
}
