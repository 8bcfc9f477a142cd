package io.quarkiverse.ratelimit.test;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.TimerTask;
import java.util.function.Supplier;

import org.junit.jupiter.api.extension.ExtensionContext;

import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.bootstrap.app.RunningQuarkusApplication;
import io.quarkus.test.QuarkusUnitTest;

/**
 * One application for several test classes, as a start takes longer than most of them. Their policies, paths and keys must
 * differ. It starts with the first of them and runs until the JVM ends.
 */
public final class SharedApplication extends QuarkusUnitTest {

    private final Supplier<String> configuration;
    private RunningQuarkusApplication application;
    /** Such as the port. Each running application sets its own. */
    private final Map<Object, Object> properties = new HashMap<>();

    /**
     * @param configuration of all test classes
     * @param classes the test classes, which bring their nested classes along, and their fixtures
     */
    public SharedApplication(Supplier<String> configuration, Class<?>... classes) {
        this.configuration = configuration;
        withApplicationRoot(jar -> jar.addClass(SharedApplication.class).addClasses(classes));
        addBuildChainCustomizer(chain -> chain.addBuildStep(context -> context.produce(
                AdditionalBeanBuildItem.builder().addBeanClasses(classes).setUnremovable().build()))
                .produces(AdditionalBeanBuildItem.class).build());
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Map<Object, Object> before = new HashMap<>(System.getProperties());
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        if (application == null) {
            start(context);
            properties.putAll(System.getProperties());
            properties.entrySet().removeAll(before.entrySet());
        } else {
            System.getProperties().putAll(properties);
            Thread.currentThread().setContextClassLoader(application.getClassLoader());
            Class<?> test = application.getClassLoader().loadClass(context.getRequiredTestClass().getName());
            field("actualTestClass").set(this, test);
            field("actualTestInstance").set(this, application.instance(test));
        }
        context.getStore(ExtensionContext.Namespace.create(getClass())).put("end", (AutoCloseable) () -> {
            Thread.currentThread().setContextClassLoader(loader);
            properties.keySet().forEach(System.getProperties()::remove);
            before.keySet().retainAll(properties.keySet());
            System.getProperties().putAll(before);
        });
    }

    private void start(ExtensionContext context) throws Exception {
        withConfiguration(configuration.get());
        overrideConfigKey("quarkus.redis.hosts", "redis://127.0.0.1:" + startRedis());
        super.beforeAll(context);
        application = (RunningQuarkusApplication) field("runningQuarkusApplication").get(this);
        // it would print all threads after some minutes
        ((TimerTask) field("timeoutTask").get(this)).cancel();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        // the application goes on
    }

    /** Dev Services would stop their Redis with any other application of this JVM. */
    private static int startRedis() {
        int port = StoppableRedis.freePort();
        StoppableRedis redis = new StoppableRedis(port);
        redis.start();
        Runtime.getRuntime().addShutdownHook(new Thread(redis::close));
        return port;
    }

    private static Field field(String name) throws NoSuchFieldException {
        Field field = QuarkusUnitTest.class.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
