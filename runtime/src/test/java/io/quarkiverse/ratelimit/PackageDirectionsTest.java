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
            root            |
            spi             | root
            mutiny          |
            vertx           |
            algorithm       | root
            denial          | root
            caller.address  | vertx
            caller          | caller.address vertx
            policy          | root algorithm caller
            config          | root caller policy
            settings        | root algorithm caller caller.address config policy
            store           | root algorithm mutiny
            redis           | root algorithm mutiny store vertx
            engine.charge   | root algorithm caller policy store
            engine.decision | root algorithm .charge policy store
            engine.events   | root .decision mutiny policy redis
            engine.denials  | root algorithm .charge .decision policy store
            engine.limits   | root spi algorithm caller .decision .events mutiny policy settings
            engine.limits   | .charge store vertx
            engine.refunds  | root algorithm .charge .decision .denials .events policy store vertx
            engine.prefetch | root algorithm .charge .decision .refunds mutiny policy redis store vertx
            engine          | root spi algorithm caller .charge .decision .denials .events .limits .refunds
            engine          | mutiny policy redis settings store vertx
            engine.admin    | root algorithm .denials .events .limits .prefetch policy store
            api             | root algorithm caller caller.address engine .admin .charge .decision .limits
            api             | .refunds mutiny policy settings store
            cdi             | root engine .decision .limits policy
            admin           | root caller config policy settings vertx
            devui           | root algorithm caller .events policy settings vertx
            observe         | root config engine .denials .events policy redis settings
            grpc            | root denial
            graphql         | root denial
            scheduler       | root denial
            web             | root algorithm caller caller.address config denial engine .decision
            web             | .events .limits .refunds mutiny policy settings vertx
            rest            | root caller caller.address engine .decision .limits mutiny policy web
            start           | root spi config engine .admin .charge .denials .events .limits .prefetch
            start           | .refunds policy redis settings store vertx
            recorder        | policy
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
