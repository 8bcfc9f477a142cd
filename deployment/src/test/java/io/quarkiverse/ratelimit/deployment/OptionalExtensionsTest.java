package io.quarkiverse.ratelimit.deployment;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import io.quarkus.bootstrap.classloading.QuarkusClassLoader;

/** Capabilities show which extensions an application has: the classes of an extension may be renamed. */
@AnalyzeClasses(packages = "io.quarkiverse.ratelimit.deployment", importOptions = ImportOption.DoNotIncludeTests.class)
class OptionalExtensionsTest {

    @ArchTest
    static final ArchRule noExtensionIsFoundByTheNameOfAClass = noClasses()
            .should().dependOnClassesThat().areAssignableTo(QuarkusClassLoader.class)
            .orShould().callMethod(Class.class, "forName", String.class)
            .orShould().callMethod(Class.class, "forName", String.class, boolean.class, ClassLoader.class)
            .orShould().callMethod(ClassLoader.class, "loadClass", String.class);
}
