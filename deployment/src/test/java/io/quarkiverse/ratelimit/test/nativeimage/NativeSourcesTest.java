package io.quarkiverse.ratelimit.test.nativeimage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.runtime.policy.config.LimitConfig.ZoneConverter;
import io.quarkiverse.ratelimit.runtime.policy.config.Percentage.PercentageConverter;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.ProdBuildResults;
import io.quarkus.test.ProdModeTestResults;
import io.quarkus.test.QuarkusProdModeTest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** The input of the native image contains everything that the limiter needs at run time. */
class NativeSourcesTest extends ServicesOfTheImage {

    @RegisterExtension
    static final QuarkusProdModeTest APP = application("native-sources", "quarkus-rest", "quarkus-rest-client")
            .withApplicationRoot(jar -> jar.addClasses(Resource.class, Mailer.class, Order.class, User.class, Quotes.class));

    @ProdBuildResults
    ProdModeTestResults results;

    @Override
    protected ProdModeTestResults results() {
        return results;
    }

    @Override
    protected Set<String> providers() {
        return Set.of("io.quarkiverse.ratelimit.runtime.entry.client.RetryAfterFilter",
                "io.quarkiverse.ratelimit.runtime.entry.client.ClientCallFilter$BuiltClients");
    }

    @Test
    void everyScriptIsIncluded() throws IOException {
        JsonArray includes = new JsonObject(runnerFile("META-INF/native-image/resource-config.json"))
                .getJsonObject("resources").getJsonArray("includes");
        List<Pattern> patterns = includes.stream().map(include -> Pattern.compile(((JsonObject) include).getString("pattern")))
                .toList();

        List<String> scripts = scripts();

        assertThat(scripts).contains("io/quarkiverse/ratelimit/lua/decide.lua").allSatisfy(script -> assertThat(patterns)
                .anyMatch(pattern -> pattern.matcher(script).matches()));
    }

    @Test
    void configurationNeedsNoRegistrationByTheUser() throws IOException {
        String reflection = runnerFile("META-INF/native-image/reflect-config.json");

        assertThat(new JsonArray(reflection).stream().map(type -> ((JsonObject) type).getString("name")))
                .contains("io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig$$CMImpl",
                        "io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig$$CMImpl",
                        "io.quarkiverse.ratelimit.runtime.policy.config.LimitConfig$$CMImpl",
                        "io.quarkiverse.ratelimit.runtime.policy.config.RateLimitBuildTimeConfig$$CMImpl");
    }

    @ParameterizedTest
    @ValueSource(classes = { ZoneConverter.class, PercentageConverter.class })
    void convertersOfTheConfigurationCanBeCreated(Class<?> converter) throws IOException {
        assertThat(registered(converter.getName()).getBoolean("allDeclaredConstructors")).isTrue();
    }

    @Test
    void limitedBeanMethodsAreKnown() throws IOException {
        assertThat(registered(Mailer.class.getName()).getJsonArray("methods").encode()).contains("\"send\"");
    }

    @Test
    void propertiesOfArgumentsAreReadWithoutReflection() throws Exception {
        Path runner = runner();
        String reader = entries(runner).stream().filter(name -> name.contains("Order_RateLimitKey_user_name")).findFirst()
                .orElseThrow();

        assertThat(read(runner, reader)).doesNotContain("java/lang/reflect").doesNotContain("java/lang/Class");
        try (URLClassLoader loader = new URLClassLoader(new URL[] { runner.toUri().toURL() }, getClass().getClassLoader())) {
            Class<?> type = loader.loadClass(reader.replace(".class", "").replace('/', '.'));
            Function<Object, ?> property = (Function<Object, ?>) type.getDeclaredConstructor().newInstance();
            assertThat(property.apply(new Order(new User("alice")))).isEqualTo("alice");
            assertThat(property.apply(new Order(null))).isNull();
        }
    }

    private JsonObject registered(String type) throws IOException {
        return new JsonArray(runnerFile("META-INF/native-image/reflect-config.json")).stream().map(JsonObject.class::cast)
                .filter(one -> one.getString("name").equals(type)).findFirst()
                .orElseThrow(() -> new AssertionError(type + " is not registered"));
    }

    @Test
    void nothingOfTheDevUiAndTheAdministrationIsABean() throws IOException {
        List<String> runner = entries(runner());

        assertThat(runner).anyMatch(name -> name.startsWith("io/quarkiverse/ratelimit/runtime/start/Bootstrap_Bean"))
                .noneMatch(name -> name.matches("io/quarkiverse/ratelimit/runtime/(dev|operate/admin)/.*"));
    }

    private String runnerFile(String name) throws IOException {
        return read(runner(), name);
    }

    private List<String> scripts() throws IOException {
        try (Stream<Path> libraries = Files.list(sources().resolve("lib"))) {
            return libraries.flatMap(library -> entries(library).stream()).filter(name -> name.endsWith(".lua")).toList();
        }
    }

    private static List<String> entries(Path library) {
        try (JarFile jar = new JarFile(library.toFile())) {
            return jar.stream().map(JarEntry::getName).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path library, String name) throws IOException {
        try (JarFile jar = new JarFile(library.toFile())) {
            return new String(jar.getInputStream(jar.getJarEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @jakarta.ws.rs.Path("/quotes")
    public static class Resource {
        @GET
        @RateLimited("quotes")
        public String quote() {
            return "quote";
        }
    }

    @jakarta.ws.rs.Path("/quotes")
    @RegisterRestClient(baseUri = "http://localhost")
    public interface Quotes {
        @GET
        @RateLimited("quotes")
        String quote();
    }

    @Unremovable
    @ApplicationScoped
    public static class Mailer {
        @RateLimited("mails")
        public void send() {
        }

        @RateLimited("orders")
        public void order(@RateLimitKey("user.name") Order order) {
        }
    }

    public record Order(User user) {
    }

    public record User(String name) {
    }
}
