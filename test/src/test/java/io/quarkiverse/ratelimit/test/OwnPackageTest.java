package io.quarkiverse.ratelimit.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import io.quarkiverse.ratelimit.RateLimited;

/** The test artifact keeps to packages of its own: a package in two artifacts cannot be used as Java modules. */
class OwnPackageTest {

    @Test
    void runtimeArtifactHasNoPackageOfTheTestArtifact() {
        assertThat(packagesOfArtifactWith(RateLimitTesting.class)).isNotEmpty()
                .doesNotContainAnyElementsOf(packagesOfArtifactWith(RateLimited.class));
    }

    private static Set<String> packagesOfArtifactWith(Class<?> type) {
        return new ClassFileImporter().importUrl(type.getProtectionDomain().getCodeSource().getLocation()).stream()
                .map(JavaClass::getPackageName).collect(Collectors.toSet());
    }
}
