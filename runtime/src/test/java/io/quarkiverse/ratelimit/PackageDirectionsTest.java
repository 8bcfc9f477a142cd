package io.quarkiverse.ratelimit;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;

/** Packages import in one direction, from the entry points down to what applications import. */
@AnalyzeClasses(packages = "io.quarkiverse.ratelimit", importOptions = ImportOption.DoNotIncludeTests.class)
class PackageDirectionsTest {

    private static final String RUNTIME = "io.quarkiverse.ratelimit.runtime.";

    @ArchTest
    static final ArchRule importsPointDownwards = Architectures.layeredArchitecture().consideringOnlyDependenciesInLayers()
            .layer("root").definedBy("io.quarkiverse.ratelimit")
            .layer("spi").definedBy("io.quarkiverse.ratelimit.spi")
            .layer("vertx").definedBy(RUNTIME + "vertx")
            .layer("config").definedBy(RUNTIME + "config")
            .layer("algorithm").definedBy(RUNTIME + "algorithm")
            .layer("caller").definedBy(RUNTIME + "caller")
            .layer("policy").definedBy(RUNTIME + "policy")
            .layer("settings").definedBy(RUNTIME + "settings")
            .layer("store").definedBy(RUNTIME + "store")
            .layer("redis").definedBy(RUNTIME + "redis")
            .layer("engine").definedBy(RUNTIME + "engine")
            .layer("entry points").definedBy(RUNTIME + "cdi", RUNTIME + "api", RUNTIME + "observe",
                    RUNTIME + "grpc", RUNTIME + "graphql",
                    RUNTIME + "scheduler", RUNTIME + "admin", RUNTIME + "devui")
            .layer("denial").definedBy(RUNTIME + "denial")
            .layer("observe").definedBy(RUNTIME + "observe")
            .layer("web").definedBy(RUNTIME + "web")
            .layer("rest").definedBy(RUNTIME + "rest")
            .layer("recorder").definedBy("io.quarkiverse.ratelimit.runtime")
            .whereLayer("root").mayNotAccessAnyLayer()
            .whereLayer("spi").mayOnlyAccessLayers("root")
            .whereLayer("vertx").mayNotAccessAnyLayer()
            .whereLayer("config").mayOnlyAccessLayers("root", "caller", "policy")
            .whereLayer("algorithm").mayOnlyAccessLayers("root")
            .whereLayer("denial").mayOnlyAccessLayers("root")
            .whereLayer("denial").mayOnlyBeAccessedByLayers("entry points", "web", "rest")
            .whereLayer("caller").mayOnlyAccessLayers("root", "vertx")
            .whereLayer("policy").mayOnlyAccessLayers("root", "algorithm", "caller")
            .whereLayer("settings").mayOnlyAccessLayers("root", "algorithm", "config", "caller", "policy")
            .whereLayer("store").mayOnlyAccessLayers("root", "algorithm", "policy")
            .whereLayer("redis").mayOnlyAccessLayers("root", "algorithm", "policy", "store", "vertx")
            .whereLayer("entry points").mayNotBeAccessedByAnyLayer()
            .whereLayer("web").mayOnlyBeAccessedByLayers("rest")
            .whereLayer("rest").mayNotBeAccessedByAnyLayer()
            .whereLayer("observe").mayNotBeAccessedByAnyLayer()
            .whereLayer("recorder").mayOnlyAccessLayers("policy");

    @ArchTest
    static final ArchRule entryPointsDoNotUseEachOther = slices()
            .matching(RUNTIME + "(web|cdi|api|grpc|graphql|scheduler|ai|observe|devui|admin)")
            .should()
            .notDependOnEachOther();

    @ArchTest
    static final ArchRule onlyRedisPackagesUseTheRedisClient = noClasses().that()
            .resideOutsideOfPackages(RUNTIME + "redis", RUNTIME + "vertx")
            .should().dependOnClassesThat().resideInAnyPackage("io.vertx.redis..", "io.quarkus.redis.runtime.client");

    @ArchTest
    static final ArchRule onlyHttpPackagesUseRest = noClasses().that()
            .resideOutsideOfPackages(RUNTIME + "web", RUNTIME + "rest")
            .should().dependOnClassesThat().resideInAnyPackage("jakarta.ws.rs..", "org.jboss.resteasy..");

    /** So an upgrade of Quarkus touches one package. */
    @ArchTest
    static final ArchRule onlyOnePackageUsesInternalsOfQuarkusRest = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "rest")
            .should().dependOnClassesThat().resideInAnyPackage("org.jboss.resteasy.reactive..");

    @ArchTest
    static final ArchRule onlyOnePackageUsesInternalsOfVertxAndNetty = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "vertx")
            .should().dependOnClassesThat().resideInAnyPackage("io.netty..", "io.vertx..impl..", "io.vertx..internal..");

    @ArchTest
    static final ArchRule onlyOnePackageUsesOperatorsOfMutiny = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "mutiny")
            .should().dependOnClassesThat()
            .resideInAnyPackage("io.smallrye.mutiny.operators..", "io.smallrye.mutiny.helpers..");

    /** Others refuse a time below a millisecond with an exception, which could leave a call without an answer. */
    @ArchTest
    static final ArchRule onlyOnePackageSetsTimers = noClasses().that().resideOutsideOfPackage(RUNTIME + "vertx")
            .should().callMethodWhere(target(nameMatching("setTimer|setPeriodic|schedule.*|ifNoItem|delayIt"))
                    .and(target(owner(resideInAnyPackage("io.vertx..", "io.smallrye.mutiny..", "java.util.concurrent..")))));

    @ArchTest
    static final ArchRule onlyOnePackageComposesTheLimiter = noClasses().that().resideOutsideOfPackage(RUNTIME + "start")
            .should().dependOnClassesThat().resideInAPackage(RUNTIME + "start");

    @ArchTest
    static final ArchRule onlyTheGrpcPackageUsesGrpc = noClasses().that().resideOutsideOfPackage(RUNTIME + "grpc")
            .should().dependOnClassesThat().resideInAnyPackage("io.grpc..", "io.quarkus.grpc..");

    @ArchTest
    static final ArchRule onlyTheGraphqlPackageUsesGraphql = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "graphql")
            .should().dependOnClassesThat().resideInAnyPackage("graphql..", "io.smallrye.graphql..");

    @ArchTest
    static final ArchRule onlyTheWebPackageUsesWebSockets = noClasses().that().resideOutsideOfPackage(RUNTIME + "web")
            .should().dependOnClassesThat().resideInAnyPackage("io.quarkus.websockets..");

    @ArchTest
    static final ArchRule onlyTheObservePackageUsesMetersAndSpans = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "observe")
            .should().dependOnClassesThat().resideInAnyPackage("io.micrometer..", "io.opentelemetry..");

    /** Time is Redis'; the clock of the application is only for headers, and only the one that is handed in. */
    @ArchTest
    static final ArchRule nobodyReadsTheClockOfTheApplication = noClasses()
            .should().callMethod(System.class, "currentTimeMillis")
            .orShould().callMethod(java.time.Instant.class, "now")
            .orShould().callMethod(java.time.LocalDateTime.class, "now")
            .orShould().callMethod(java.time.ZonedDateTime.class, "now");
}
