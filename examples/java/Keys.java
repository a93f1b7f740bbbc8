// Keys of the JDK that Sealstone uses, and keys of Sealstone that the JDK uses.
//
//     java Keys.java      with `sealstone` in a folder of PATH

import java.nio.file.*;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.*;
import java.security.spec.*;
import java.util.*;
import javax.crypto.*;
import javax.crypto.spec.PBEKeySpec;

class Keys {
    static Path folder;

    public static void main(String[] arguments) throws Exception {
        folder = Files.createTempDirectory("keys");
        Files.writeString(folder.resolve("film"), "a film");

        // Keys of the JDK. A key of P-256 decrypts or signs: use separate keys.
        decrypt(pair("XDH", NamedParameterSpec.X25519));
        decrypt(pair("EC", new ECGenParameterSpec("secp256r1")));
        sign(pair("EdDSA", NamedParameterSpec.ED25519));
        sign(pair("EC", new ECGenParameterSpec("secp256r1")));

        // Keys of Sealstone.
        decrypt(exported("x25519", "XDH"));
        decrypt(exported("p256", "EC"));
        sign(exported("ed25519", "EdDSA"));
        sign(exported("p256-sign", "EC"));

        // A key of Sealstone with a passphrase, which the JDK removes.
        secret("words", "correct horse\n");
        sealstone("keygen", "--kind", "p256", "-p", "--passphrase-file", "words", "-o", "locked.pem");
        var locked = new EncryptedPrivateKeyInfo(der(Files.readString(folder.resolve("locked.pem"))));
        String algorithm = locked.getAlgParameters().toString(); // PBEWith…; getAlgName has only PBES2
        var passphrase = new PBEKeySpec("correct horse".toCharArray());
        Cipher cipher = Cipher.getInstance(algorithm);
        SecretKey wrapping = SecretKeyFactory.getInstance(algorithm).generateSecret(passphrase);
        cipher.init(Cipher.DECRYPT_MODE, wrapping, locked.getAlgParameters());
        KeyFactory.getInstance("EC").generatePrivate(locked.getKeySpec(cipher));

        System.out.println("keys of both sides work on both sides");
    }

    /** Encrypts to one half of a pair, and decrypts with the other. */
    static void decrypt(KeyPair pair) throws Exception {
        write(pair);
        sealstone("encrypt", "--force", "-R", "key.pub", "-o", "film.seal", "film");
        sealstone("decrypt", "--force", "-i", "key.pem", "-o", "copy", "film.seal");
    }

    /** Signs with one half of a pair, and verifies with the other. */
    static void sign(KeyPair pair) throws Exception {
        write(pair);
        sealstone("sign", "--force", "-k", "key.pem", "-o", "film.sig", "film");
        sealstone("verify-sig", "-k", "key.pub", "--signature", "film.sig", "film");
    }

    /** Writes both halves as PEM: PKCS#8 and SubjectPublicKeyInfo. */
    static void write(KeyPair pair) throws Exception {
        Files.deleteIfExists(folder.resolve("key.pem"));
        secret("key.pem", pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
        Files.writeString(folder.resolve("key.pub"), pem("PUBLIC KEY", pair.getPublic().getEncoded()));
    }

    /** A new key of Sealstone. Its DER comes through a pipe, so there is no second file with the secret. */
    static KeyPair exported(String kind, String algorithm) throws Exception {
        sealstone("keygen", "--kind", kind, "-o", kind);
        KeyFactory factory = KeyFactory.getInstance(algorithm);
        byte[] secret = sealstone("key", "convert", "--to", "der", kind);
        byte[] open = sealstone("key", "convert", "--to", "der", "--public", kind);
        return new KeyPair(
            factory.generatePublic(new X509EncodedKeySpec(open)),
            factory.generatePrivate(new PKCS8EncodedKeySpec(secret)));
    }

    static KeyPair pair(String algorithm, AlgorithmParameterSpec curve) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(curve);
        return generator.generateKeyPair();
    }

    static String pem(String label, byte[] der) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + lines + "\n-----END " + label + "-----\n";
    }

    static byte[] der(String pem) {
        return Base64.getMimeDecoder().decode(pem.replaceAll("-----[^-]+-----", ""));
    }

    /** Writes a new file, which only its owner can read from the beginning. */
    static void secret(String name, String text) throws Exception {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.writeString(Files.createFile(folder.resolve(name), mode), text);
    }

    /** Runs `sealstone` in the folder and returns its output. Service.java has limits and errors too. */
    static byte[] sealstone(String... arguments) throws Exception {
        var command = new ArrayList<>(List.of("sealstone", "--quiet"));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(folder.toFile());
        Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        byte[] output = process.getInputStream().readAllBytes();
        if (process.waitFor() != 0) throw new AssertionError(command + " ended with " + process.exitValue());
        return output;
    }
}
