package io.quarkiverse.ratelimit.test.key;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;

import io.vertx.core.json.JsonObject;

/** Signs JSON web tokens (RS256) with a key that is made once for all class loaders of a test. */
final class SignedToken {

    private static final String PRIVATE = SignedToken.class.getName() + ".private";
    private static final String PUBLIC = SignedToken.class.getName() + ".public";
    private static final String ISSUER = "https://issuer.test";

    private SignedToken() {
    }

    /** What an application needs to accept the tokens. */
    static String configuration() {
        if (System.getProperty(PUBLIC) == null) {
            try {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
                generator.initialize(2048);
                KeyPair keys = generator.generateKeyPair();
                System.setProperty(PRIVATE, Base64.getEncoder().encodeToString(keys.getPrivate().getEncoded()));
                System.setProperty(PUBLIC, Base64.getEncoder().encodeToString(keys.getPublic().getEncoded()));
            } catch (GeneralSecurityException e) {
                throw new AssertionError(e);
            }
        }
        return "mp.jwt.verify.publickey=" + System.getProperty(PUBLIC) + "\nmp.jwt.verify.issuer=" + ISSUER + "\n";
    }

    static String of(JsonObject claims) {
        long now = Instant.now().getEpochSecond();
        JsonObject all = new JsonObject().put("iss", ISSUER).put("iat", now).put("exp", now + 3600).mergeIn(claims);
        String content = encoded("{\"alg\":\"RS256\",\"typ\":\"JWT\"}".getBytes(UTF_8)) + '.'
                + encoded(all.encode().getBytes(UTF_8));
        try {
            PrivateKey key = KeyFactory.getInstance("RSA")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(System.getProperty(PRIVATE))));
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(key);
            signature.update(content.getBytes(UTF_8));
            return content + '.' + encoded(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
