package org.acme.apikeys;

import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

// tag::customers[]
/** Stands for a database, which has digests of API keys instead of the keys. */
@ApplicationScoped
public class Customers {

    private final Map<String, String> nameOfApiKey = Map.of("a1b2", "acme", "a3b4", "acme", "u5v6", "umbrella");
    private final Map<String, String> planOfName = Map.of("acme", "pro", "umbrella", "free");

    /** Returns the name of the customer, or null if nobody has this API key. */
    public String nameOf(String apiKey) {
        return apiKey == null ? null : nameOfApiKey.get(apiKey);
    }

    public String planOf(String name) {
        return name == null ? null : planOfName.get(name);
    }
}
// end::customers[]
