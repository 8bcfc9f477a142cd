package io.quarkiverse.ratelimit.runtime.caller;

/**
 * One part of a policy's key.
 *
 * @param name the name within the kind, such as a header's name; {@code null} for kinds without a name
 * @param stored writes the stored form of its values
 */
record KeyPart(KeyPartKind kind, String name, StoredPart stored) {

    /** A key value that code passes. */
    static final StoredPart GIVEN = StoredPart.of("key");
    /** An argument of a limited method. It may be a secret, such as the value of a header. */
    static final StoredPart ARGUMENT = new StoredPart(null, GIVEN.digest(), GIVEN.absent());

    private static final StoredPart ADDRESS = StoredPart.of(KeyPartKind.IP.prefix());

    /** The stored form of this part, or {@code null} if the part is absent and {@code missing} defines no substitute. */
    String resolve(CallDetails call, MissingKey missing) {
        return resolve(kind.value(call, name), stored, call.caller(), missing);
    }

    /** The stored form of an argument, or {@code null} if it is absent and {@code missing} defines no substitute. */
    static String resolve(Object argument, Caller caller, MissingKey missing) {
        return resolve(argument == null ? null : argument.toString(), ARGUMENT, caller, missing);
    }

    private static String resolve(String value, StoredPart stored, Caller caller, MissingKey missing) {
        if (value != null && !value.isEmpty()) {
            return stored.present(value);
        }
        return switch (missing) {
            case SHARED -> stored.absent();
            case IP -> byAddress(caller.address(), stored);
            case DENY, SKIP -> null;
        };
    }

    /** Uses the kind {@code ip}. So the address differs from any present value, and a caller's keys share one slot. */
    private static String byAddress(String address, StoredPart stored) {
        return address == null ? stored.absent() : ADDRESS.present(address);
    }

    String of(String value, AddressForm addresses) {
        return stored.present(kind == KeyPartKind.IP ? addresses.ofText(value) : value);
    }

    /** The part in configuration notation. */
    @Override
    public String toString() {
        return name == null ? kind.prefix() : kind.prefix() + ':' + name;
    }
}
