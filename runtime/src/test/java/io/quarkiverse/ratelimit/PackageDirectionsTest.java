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
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

import io.smallrye.mutiny.groups.UniAwait;

/** Rooms, the packages below {@code runtime}, import in one direction, which is the way of a call. */
@AnalyzeClasses(packages = "io.quarkiverse.ratelimit", importOptions = ImportOption.DoNotIncludeTests.class)
class PackageDirectionsTest {

    private static final String ROOT = "io.quarkiverse.ratelimit";
    private static final String RUNTIME = ROOT + ".runtime.";

    /** The rooms that each room may import, from top to bottom the way of a call. A room without a row fails the test. */
    private static final Map<String, Set<String>> IMPORTS = rows("""
            start     | entry operate engine policy store platform api
            entry     | engine policy caller store algorithm platform api
            operate   | engine policy caller store platform api
            engine    | policy caller store algorithm platform api
            policy    | caller algorithm api
            caller    | platform
            store     | algorithm platform api
            algorithm | api
            platform  |
            api       | platform
            """);

    @ArchTest
    static final ArchRule roomsImportOnlyThoseBelowThem = classes().should(new ArchCondition<>("import what they may") {
        @Override
        public void check(JavaClass type, ConditionEvents events) {
            String room = roomOf(type);
            if (!IMPORTS.containsKey(room)) {
                events.add(violated(type, room + " has no row"));
                return;
            }
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass imported = dependency.getTargetClass().getBaseComponentType();
                if (imported.getPackageName().startsWith(ROOT) && !roomOf(imported).equals(room)
                        && !IMPORTS.get(room).contains(roomOf(imported))) {
                    events.add(violated(type, dependency.getDescription()));
                }
            }
        }
    });

    @ArchTest
    static final ArchRule packagesAreFreeOfCircles = slices()
            .assignedFrom(new Slices("packages", type -> type.getPackageName()))
            .should().beFreeOfCycles();

    /** So that the queue, its connection and its batches can be read one after the other. */
    @ArchTest
    static final ArchRule filesOfRedisImportInOneDirection = slices().assignedFrom(new Slices("files of redis",
            type -> type.getPackageName().equals(RUNTIME + "store.redis") ? fileOf(type) : null))
            .should().beFreeOfCycles();

    /** The exceptions are sealed, so the first one names the others. */
    private static final Set<String> SEALED = Set.of("RateLimitException", "RateLimitExceededException",
            "RateLimitUnavailableException");

    @ArchTest
    static void circlesHaveTwoFilesAtMost(JavaClasses types) {
        Map<String, Set<String>> imports = types.stream().collect(Collectors.groupingBy(PackageDirectionsTest::fileOf,
                Collectors.flatMapping(type -> type.getDirectDependenciesFromSelf().stream()
                        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                        .filter(imported -> types.contain(imported.getName())).map(PackageDirectionsTest::fileOf),
                        Collectors.toSet())));
        Map<String, Set<String>> reached = new HashMap<>();
        imports.keySet().forEach(file -> reached.put(file, reached(file, imports)));

        for (String file : imports.keySet()) {
            assertThat(reached.get(file)).as("circle of " + file)
                    .filteredOn(other -> reached.get(other).contains(file) && !SEALED.contains(nameOf(other)))
                    .hasSizeLessThanOrEqualTo(2);
        }
    }

    private static Set<String> reached(String file, Map<String, Set<String>> imports) {
        Set<String> reached = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(imports.get(file));
        while (!next.isEmpty()) {
            String imported = next.pop();
            if (reached.add(imported)) {
                next.addAll(imports.get(imported));
            }
        }
        return reached;
    }

    private static String fileOf(JavaClass type) {
        return type.getName().split("\\$")[0];
    }

    private static String nameOf(String file) {
        return file.substring(file.lastIndexOf('.') + 1);
    }

    private record Slices(String description, Function<JavaClass, String> name) implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String slice = name.apply(type);
            return slice == null ? SliceIdentifier.ignore() : SliceIdentifier.of(slice);
        }

        @Override
        public String getDescription() {
            return description;
        }
    }

    private static String roomOf(JavaClass type) {
        String name = type.getPackageName() + '.';
        return name.startsWith(RUNTIME) ? name.substring(RUNTIME.length()).split("\\.")[0] : "api";
    }

    private static Map<String, Set<String>> rows(String table) {
        return table.lines().map(row -> row.split("\\|", 2)).collect(Collectors.toMap(row -> row[0].strip(),
                row -> Set.of(row[1].strip().split(" "))));
    }

    /** So that the rules can be read, and tested, without knowing either. */
    @ArchTest
    static final ArchRule algorithmsAndPoliciesUseNeitherQuarkusNorVertx = noClasses().that()
            .resideInAnyPackage(RUNTIME + "algorithm..", RUNTIME + "policy")
            .should().dependOnClassesThat().resideInAnyPackage("io.quarkus..", "io.vertx..");

    @ArchTest
    static final ArchRule onlyRedisPackagesUseTheRedisClient = noClasses().that()
            .resideOutsideOfPackages(RUNTIME + "store.redis..", RUNTIME + "platform.vertx")
            .should().dependOnClassesThat().resideInAnyPackage("io.vertx.redis..", "io.quarkus.redis.runtime.client");

    @ArchTest
    static final ArchRule theStoreUsesNeitherQuarkusNorVertx = noClasses().that()
            .resideInAnyPackage(RUNTIME + "store", RUNTIME + "store.memory")
            .should().dependOnClassesThat().resideInAnyPackage("io.quarkus..", "io.vertx..");

    @ArchTest
    static final ArchRule onlyHttpPackagesUseRest = noClasses().that()
            .resideOutsideOfPackages(RUNTIME + "entry..")
            .should().dependOnClassesThat().resideInAnyPackage("jakarta.ws.rs..", "org.jboss.resteasy..");

    /** One for the server, and one for the client. */
    @ArchTest
    static final ArchRule onlyTwoPackagesUseInternalsOfQuarkusRest = noClasses().that()
            .resideOutsideOfPackages(RUNTIME + "entry.rest", RUNTIME + "entry.client")
            .should().dependOnClassesThat().resideInAnyPackage("org.jboss.resteasy.reactive..");

    /** The core of Quarkus is left out: its classes are for extensions. */
    private static final Pattern INTERNAL = Pattern.compile("io\\.quarkus\\.(?!runtime\\.).*\\.(runtime|impl)\\..*"
            + "|org\\.jboss\\.resteasy\\..*\\b(core|handlers|impl|jaxrs|mapping|vertx)\\..*");

    /**
     * Internals of other extensions and of the REST servers, and who uses them. An upgrade of Quarkus may change any of them.
     */
    private static final Map<String, Set<String>> INTERNALS = rows("""
            CurrentRequestManager                | RestWork
            CurrentVertxRequest                  | ClassicDecisions ClassicWork DenialMapper RequestCallers
            DefaultAsyncObserverExceptionHandler | AsyncEvents
            Deployment                           | RestDenialMapper
            EntityWriter                         | RestDenialMapper
            Filters                              | HttpBeans
            FixedEntityWriterArray               | RestDenialMapper
            ForwardedInfo                        | QuarkusForwarding
            HttpAuthenticator                    | Access
            ImmutablePathMatcher                 | RoutePaths RouteReader
            InvocationHandler                    | RestWork
            ManagementInterfaceBuildTimeConfig   | AdminHandler
            ProxyConfig                          | CallerAddresses Forwarding
            QuarkusHttpUser                      | Access HttpCaller
            RedisClientConfig                    | RedisClients
            RedisConfig                          | RedisClients
            RestClientRequestContext             | ClientCallFilter
            ResteasyContext                      | ClassicDecisions ClassicWork
            ResteasyReactiveRequestContext       | RateLimitFilter RestDenialMapper RestWork
            ServerSerialisers                    | RestDenialMapper
            TlsConfigUtils                       | RedisClients
            VertxHttpBuildTimeConfig             | HttpBeans RouteFilter RoutePaths
            VertxHttpConfig                      | CallerAddresses Forwarding HttpBeans
            VertxRedisClientFactory              | RedisClients
            VertxResteasyReactiveRequestContext  | RestWork
            WebSocketConnectionBase              | WebSocketHandshakes
            """);

    @ArchTest
    static void internalsOfOtherExtensionsAreUsedByTheListedClasses(JavaClasses classes) {
        Map<String, Set<String>> users = new TreeMap<>();
        for (JavaClass type : classes) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass used = dependency.getTargetClass().getBaseComponentType();
                if (INTERNAL.matcher(used.getName()).matches()) {
                    users.computeIfAbsent(nameOf(fileOf(used)), ignored -> new TreeSet<>()).add(nameOf(fileOf(type)));
                }
            }
        }

        assertThat(users).isEqualTo(INTERNALS);
    }

    @ArchTest
    static final ArchRule onlyOnePackageUsesInternalsOfVertxAndNetty = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "platform.vertx")
            .should().dependOnClassesThat().resideInAnyPackage("io.netty..", "io.vertx..impl..", "io.vertx..internal..");

    @ArchTest
    static final ArchRule onlyOnePackageUsesOperatorsOfMutiny = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "platform.mutiny")
            .should().dependOnClassesThat()
            .resideInAnyPackage("io.smallrye.mutiny.operators..", "io.smallrye.mutiny.helpers..");

    /** Others refuse a time below a millisecond with an exception, which could leave a call without an answer. */
    @ArchTest
    static final ArchRule onlyOnePackageSetsTimers = noClasses().that().resideOutsideOfPackage(RUNTIME + "platform.vertx")
            .should().callMethodWhere(target(nameMatching("setTimer|setPeriodic|schedule.*|ifNoItem|delayIt"))
                    .and(target(owner(resideInAnyPackage("io.vertx..", "io.smallrye.mutiny..", "java.util.concurrent..")))));

    /** A wait without a bound could keep the application from stopping. */
    @ArchTest
    static final ArchRule nothingWaitsForever = noClasses().should().callMethod(UniAwait.class, "indefinitely");

    @ArchTest
    static final ArchRule onlyTheGrpcPackageUsesGrpc = noClasses().that().resideOutsideOfPackage(RUNTIME + "entry.grpc")
            .should().dependOnClassesThat().resideInAnyPackage("io.grpc..", "io.quarkus.grpc..");

    @ArchTest
    static final ArchRule onlyTheGraphqlPackageUsesGraphql = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "entry.graphql")
            .should().dependOnClassesThat().resideInAnyPackage("graphql..", "io.smallrye.graphql..");

    @ArchTest
    static final ArchRule onlyTheMcpPackageUsesMcp = noClasses().that().resideOutsideOfPackage(RUNTIME + "entry.mcp")
            .should().dependOnClassesThat().resideInAnyPackage("io.quarkiverse.mcp..");

    @ArchTest
    static final ArchRule onlyTheWebPackageUsesWebSockets = noClasses().that().resideOutsideOfPackage(RUNTIME + "entry.http")
            .should().dependOnClassesThat().resideInAnyPackage("io.quarkus.websockets..");

    @ArchTest
    static final ArchRule onlyTheObservePackageUsesMetersAndSpans = noClasses().that()
            .resideOutsideOfPackage(RUNTIME + "operate.observe")
            .should().dependOnClassesThat().resideInAnyPackage("io.micrometer..", "io.opentelemetry..");

    /** Time is Redis'; the clock of the application is only for headers, and only the one that is handed in. */
    @ArchTest
    static final ArchRule nobodyReadsTheClockOfTheApplication = noClasses()
            .should().callMethod(System.class, "currentTimeMillis")
            .orShould().callMethodWhere(target(name("now")).and(target(owner(resideInAPackage("java.time..")))))
            .orShould().callConstructor(java.util.Date.class);
}
