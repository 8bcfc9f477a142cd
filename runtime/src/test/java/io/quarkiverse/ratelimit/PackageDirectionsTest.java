package io.quarkiverse.ratelimit;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;

/** Packages import in one direction, from the entry points down to what applications import. */
@AnalyzeClasses(packages = "io.quarkiverse.ratelimit", importOptions = ImportOption.DoNotIncludeTests.class)
class PackageDirectionsTest {

    private static final String ROOT = "io.quarkiverse.ratelimit";
    private static final String RUNTIME = ROOT + ".runtime.";

    /**
     * The packages that each package may import; those below {@code engine} begin with a dot. One without a row fails the test.
     */
    private static final Map<String, Set<String>> IMPORTS = rows("""
            root                  |
            spi                   | root
            mutiny                |
            vertx                 |
            algorithm             | root
            algorithm.bucket      | root algorithm
            algorithm.window      | root algorithm
            denial                | root
            caller.address        | vertx
            caller                | vertx caller.address
            policy                | root spi algorithm algorithm.bucket algorithm.window caller
            config                | root caller policy
            settings              | root algorithm caller.address caller policy config
            store                 | root mutiny algorithm
            redis.connection      | vertx store
            redis                 | root mutiny vertx algorithm store redis.connection
            redis.topology        | vertx store redis.connection redis
            engine.charge         | root algorithm caller policy store
            engine.decision       | root algorithm policy store .charge
            engine.events         | root mutiny policy redis.connection .decision
            engine.limits         | root spi mutiny vertx algorithm caller policy settings store
            engine.limits         | .charge .decision .events
            engine.refunds        | root vertx algorithm policy store .charge .decision .events
            engine.prefetch       | root mutiny vertx algorithm policy store redis.connection .charge .decision .refunds
            engine                | root spi mutiny vertx algorithm caller policy settings store
            engine                | redis.connection
            engine                | .charge .decision .events .limits .refunds
            engine.admin          | root algorithm policy store redis.connection .decision .events .limits .prefetch
            api                   | root spi mutiny algorithm caller.address caller policy settings store .charge .decision
            api                   | .limits .refunds engine .admin
            cdi                   | root policy .decision .limits engine
            admin                 | root vertx caller policy config settings
            devui                 | root vertx algorithm caller policy settings .events
            observe               | root caller policy config settings store redis.connection redis.topology .events
            observe               | engine
            grpc                  | root denial
            graphql               | root denial
            scheduler             | root denial
            web                   | root mutiny vertx algorithm denial caller.address caller policy config settings
            web                   | .decision .events .limits .refunds engine
            rest                  | root mutiny caller.address caller policy .decision .limits .refunds engine web
            start                 | root spi vertx policy config settings store redis.connection redis redis.topology
            start                 | .charge .decision .events
            start                 | .limits .refunds .prefetch engine .admin
            recorder              | policy
            """);

    @ArchTest
    static final ArchRule packagesImportOnlyThoseBelowThem = classes().should(new ArchCondition<>("import what they may") {
        @Override
        public void check(JavaClass type, ConditionEvents events) {
            Set<String> allowed = IMPORTS.get(type.getPackageName());
            if (allowed == null) {
                events.add(violated(type, type.getPackageName() + " has no row"));
                return;
            }
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String imported = dependency.getTargetClass().getBaseComponentType().getPackageName();
                if (imported.startsWith(ROOT) && !imported.equals(type.getPackageName()) && !allowed.contains(imported)) {
                    events.add(violated(type, dependency.getDescription()));
                }
            }
        }
    });

    private static Map<String, Set<String>> rows(String table) {
        return table.lines().map(row -> row.split("\\|")).collect(Collectors.groupingBy(row -> packageOf(row[0].strip()),
                Collectors.flatMapping(row -> Arrays.stream(row).skip(1).flatMap(names -> Stream.of(names.strip().split(" ")))
                        .map(PackageDirectionsTest::packageOf), Collectors.toSet())));
    }

    private static String packageOf(String row) {
        return switch (row) {
            case "root" -> ROOT;
            case "spi" -> ROOT + ".spi";
            case "recorder" -> ROOT + ".runtime";
            default -> RUNTIME + (row.startsWith(".") ? "engine" : "") + row;
        };
    }

    /** So that the rules can be read, and tested, without knowing either. */
    @ArchTest
    static final ArchRule algorithmsAndPoliciesUseNeitherQuarkusNorVertx = noClasses().that()
            .resideInAnyPackage(RUNTIME + "algorithm..", RUNTIME + "policy..")
            .should().dependOnClassesThat().resideInAnyPackage("io.quarkus..", "io.vertx..");

    @ArchTest
    static final ArchRule onlyRedisPackagesUseTheRedisClient = noClasses().that()
            .resideOutsideOfPackages(RUNTIME + "redis..", RUNTIME + "vertx")
            .should().dependOnClassesThat().resideInAnyPackage("io.vertx.redis..", "io.quarkus.redis.runtime.client");

    @ArchTest
    static final ArchRule theStoreUsesNeitherQuarkusNorVertx = noClasses().that().resideInAPackage(RUNTIME + "store")
            .should().dependOnClassesThat().resideInAnyPackage("io.quarkus..", "io.vertx..");

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
            .orShould().callMethodWhere(target(name("now")).and(target(owner(resideInAPackage("java.time..")))))
            .orShould().callConstructor(java.util.Date.class);
}
