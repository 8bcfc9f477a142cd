package io.quarkiverse.ratelimit.runtime.caller;

/**
 * One part of a policy's key.
 *
 * @param name what the kind is asked for, such as a header's name; {@code null} for kinds without a name
 * @param stored writes its values down
 */
record KeyPart(KeyPartKind kind, String name, StoredPart stored) {

    /** What code gives as a key. */
    static final StoredPart GIVEN = StoredPart.of("key");
    /** An argument of a guarded method, which may be the value of a header. */
    static final StoredPart ARGUMENT = new StoredPart(null, GIVEN.digest(), GIVEN.absent());

    private static final StoredPart ADDRESS = StoredPart.of(KeyPartKind.IP.prefix());

    /** The stored form of this part of a caller's key, {@code null} when it is absent and nothing stands in for it. */
    String resolve(CallDetails call, MissingKey missing) {
        return resolve(kind.value(call, name), stored, call.caller(), missing);
    }

    /** The stored form of an argument, {@code null} when it is absent and nothing stands in for it. */
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

    /** The address under its own kind tells it from a present value, and keeps a caller's keys on one slot. */
    private static String byAddress(String address, StoredPart stored) {
        return address == null ? stored.absent() : ADDRESS.present(address);
    }

    String of(String value, AddressForm addresses) {
        return stored.present(kind == KeyPartKind.IP ? addresses.ofText(value) : value);
    }

    /** The part as it is configured. */
    @Override
    public String toString() {
        return name == null ? kind.prefix() : kind.prefix() + ':' + name;
    }
}
