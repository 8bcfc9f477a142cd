package org.acme.logins;

import jakarta.inject.Singleton;

/** Stands for whatever knows the users. */
@Singleton
class Passwords {

    boolean match(String user, String password) {
        return "secret".equals(password);
    }
}
