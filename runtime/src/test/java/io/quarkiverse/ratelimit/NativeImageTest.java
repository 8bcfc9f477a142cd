package io.quarkiverse.ratelimit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;

import java.io.File;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClass.Predicates;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaStaticInitializer;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/**
 * What a native image computes when it is built is still right when it runs. This test lists the lookups by name that are
 * allowed. {@code NativeImageProcessor} of the deployment module registers what they find.
 */
@AnalyzeClasses(packages = "io.quarkiverse.ratelimit", importOptions = ImportOption.DoNotIncludeTests.class)
class NativeImageTest {

    private static final String RUNTIME = "io.quarkiverse.ratelimit.runtime.";

    /** Of the machine or of the moment, or alive: true only of where and when the image is built. */
    private static final DescribedPredicate<JavaClass> OF_THE_BUILD = describe("are of the build", type -> Stream.of(
            Random.class, MessageDigest.class, Thread.class, Executor.class, InetAddress.class, SocketAddress.class,
            Clock.class, Instant.class, Path.class, File.class, java.util.Timer.class).anyMatch(type::isAssignableTo));

    @ArchTest
    static final ArchRule nothingIsMadeByReflection = noClasses()
            // only checks whether RESTEasy Classic made a proxy
            .that().doNotHaveFullyQualifiedName(RUNTIME + "entry.cdi.CallLimiter")
            .should().dependOnClassesThat().areAssignableTo(Proxy.class)
            .orShould().callMethodWhere(target(owner(name("java.lang.reflect.Method"))).and(target(name("invoke"))))
            .orShould().dependOnClassesThat().areAssignableTo(ServiceLoader.class)
            .orShould().dependOnClassesThat().areAssignableTo(MethodHandles.Lookup.class);

    /** Whether there are tokens is known when the image is built. */
    @ArchTest
    static final ArchRule onlyTypesOfTokensAreFoundByName = noClasses()
            .that().doNotHaveFullyQualifiedName(RUNTIME + "caller.Identities")
            .should().callMethodWhere(target(owner(name("java.lang.Class"))).and(target(nameMatching(
                    "forName|get(Declared|Enclosing)?(Method|Field|Constructor)s?|newInstance|getRecordComponents"))));

    @ArchTest
    static final ArchRule onlyScriptsAndThePageOfAdministratorsAreReadAsResources = noClasses()
            .that().doNotHaveFullyQualifiedName(RUNTIME + "algorithm.ScriptFile")
            .and().doNotHaveFullyQualifiedName(RUNTIME + "operate.admin.AdminHandler$PageFile")
            .should().callMethodWhere(target(nameMatching("getResources?|getResourceAsStream")));

    @ArchTest
    static final ArchRule noFieldKeepsWhatIsOfTheBuild = noFields().that().areStatic().should().haveRawType(OF_THE_BUILD);

    @ArchTest
    static final ArchRule noClassIsInitializedWithWhatIsOfTheBuild = noCodeUnits()
            .that(describe("initialize classes", JavaStaticInitializer.class::isInstance))
            .should(callMethodsOf(OF_THE_BUILD.or(Predicates.type(System.class)).or(Predicates.type(Runtime.class))
                    .or(Predicates.type(ProcessHandle.class)).or(Predicates.simpleName("ConfigProvider"))));

    private static ArchCondition<JavaCodeUnit> callMethodsOf(DescribedPredicate<JavaClass> types) {
        return new ArchCondition<>("call methods of classes that %s", types.getDescription()) {
            @Override
            public void check(JavaCodeUnit unit, ConditionEvents events) {
                unit.getCallsFromSelf().stream().filter(call -> types.test(call.getTargetOwner()))
                        .forEach(call -> events.add(SimpleConditionEvent.satisfied(call, call.getDescription())));
            }
        };
    }
}
