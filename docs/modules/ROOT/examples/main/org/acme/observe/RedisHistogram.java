package org.acme.observe;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;

// tag::filter[]
public class RedisHistogram {

    @Produces
    @Singleton
    MeterFilter histogram() {
        return new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return !id.getName().equals("rate.limit.redis") ? config
                        : DistributionStatisticConfig.builder().percentilesHistogram(true).build().merge(config);
            }
        };
    }
}
// end::filter[]
