package io.quarkiverse.ratelimit.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ApplicationRedisTest {

    @Test
    void clientsExist() {
        assertThat(ApplicationRedisProcessor.CLIENTS).hasSize(9)
                .allSatisfy(name -> assertThat(Class.forName(name, false, getClass().getClassLoader())).isNotNull());
    }
}
