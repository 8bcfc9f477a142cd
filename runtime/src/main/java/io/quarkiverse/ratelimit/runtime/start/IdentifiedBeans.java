package io.quarkiverse.ratelimit.runtime.start;

import java.lang.annotation.Annotation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;

import io.smallrye.common.annotation.Identifier;

/**
 * Groups beans by their {@code @Identifier}, without those for which CDI prefers another bean.
 *
 * @param byName each supplier creates its bean on first use
 */
record IdentifiedBeans<T>(Map<String, List<Supplier<T>>> byName) {

    static <T> IdentifiedBeans<T> of(Class<T> type, Instance<T> beans, BeanManager all) {
        Map<String, List<Supplier<T>>> byName = new HashMap<>();
        for (Bean<?> bean : all.getBeans(type, Any.Literal.INSTANCE)) {
            for (Annotation qualifier : bean.getQualifiers()) {
                if (qualifier instanceof Identifier identifier) {
                    byName.put(identifier.value(), beans.select(identifier).handlesStream()
                            .<Supplier<T>> map(handle -> handle::get).toList());
                }
            }
        }
        return new IdentifiedBeans<>(byName);
    }

    /** How many beans each name has. */
    Map<String, Integer> counts() {
        Map<String, Integer> counts = new HashMap<>();
        byName.forEach((name, beans) -> counts.put(name, beans.size()));
        return counts;
    }
}
