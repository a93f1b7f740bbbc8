// SM2, SM4 and post-quantum keys of Bouncy Castle and of Sealstone, each in both directions.
//
//     java -cp bcprov.jar BouncyCastle.java      with `sealstone` in a folder of PATH

import java.math.BigInteger;
import java.nio.file.*;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.*;
import java.security.spec.*;
import java.util.*;
import javax.crypto.Cipher;
import javax.crypto.spec.*;
import org.bouncycastle.asn1.*;
import org.bouncycastle.jcajce.spec.SM2ParameterSpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.util.BigIntegers;

class BouncyCastle {
    static final Provider BC = new BouncyCastleProvider();
    static final byte[] ORDER = "attack at dawn".getBytes();
    static Path folder;

    public static void main(String[] arguments) throws Exception {
        folder = Files.createTempDirectory("bc");
        write("order", ORDER);

        // A key of Bouncy Castle, and a key of Sealstone. Sealstone recognises DER.
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", BC);
        generator.initialize(new ECGenParameterSpec("sm2p256v1"));
        KeyPair made = generator.generateKeyPair();
        write("made.key", made.getPrivate().getEncoded());
        write("made.pub", made.getPublic().getEncoded());
        sealstone("keygen", "--kind", "sm2", "-o", "other.key");
        KeyPair other = exported("other.key", "EC");
        write("other.pub", other.getPublic().getEncoded());

        for (String name : List.of("made", "other")) {
            KeyPair pair = name.equals("made") ? made : other;
            String key = name + ".key", pub = name + ".pub";

            // Files.
            sealstone("encrypt", "--profile", "gm", "-R", pub, "-o", name + ".seal", "order");
            check(sealstone("decrypt", "--profile", "gm", "-i", key, "-o", "-", name + ".seal"), ORDER);

            // Signatures, with the user id that both sides have by default, and with another one.
            for (String id : List.of("1234567812345678", "alice@example.com")) {
                Signature signature = Signature.getInstance("SM3withSM2", BC);
                if (id.startsWith("alice")) signature.setParameter(new SM2ParameterSpec(id.getBytes()));
                signature.initSign(pair.getPrivate());
                signature.update(ORDER);
                write("order.sig", signature.sign());
                sealstone("sm2", "verify", "-r", pub, "--id", id, "--signature", "order.sig", "order");

                signature.initVerify(pair.getPublic());
                signature.update(ORDER);
                check(signature.verify(sealstone("sm2", "sign", "-i", key, "--id", id, "order")));
            }

            // Ciphertexts. The name of Bouncy Castle's cipher has the order of the parts.
            for (String form : List.of("c1c3c2", "c1c2c3")) {
                Cipher cipher = Cipher.getInstance("SM2/" + form + "/NoPadding", BC);
                cipher.init(Cipher.ENCRYPT_MODE, pair.getPublic());
                write("order.sm2", cipher.doFinal(ORDER));
                check(sealstone("sm2", "decrypt", "-i", key, "--form", form, "order.sm2"), ORDER);

                cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
                check(cipher.doFinal(sealstone("sm2", "encrypt", "-r", pub, "--form", form, "order")), ORDER);
            }

            // The same ciphertexts in ASN.1.
            Cipher cipher = Cipher.getInstance("SM2/C1C3C2/NoPadding", BC);
            cipher.init(Cipher.ENCRYPT_MODE, pair.getPublic());
            write("order.der", toDer(cipher.doFinal(ORDER)));
            check(sealstone("sm2", "decrypt", "-i", key, "--form", "der", "order.der"), ORDER);

            cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
            check(cipher.doFinal(fromDer(sealstone("sm2", "encrypt", "-r", pub, "--form", "der", "order"))), ORDER);
        }

        // SM4-CBC, without authentication. Each message has an IV of its own.
        byte[] key = new byte[16], iv = new byte[16];
        new SecureRandom().nextBytes(key);
        new SecureRandom().nextBytes(iv);
        write("sm4.key", key);
        String digits = HexFormat.of().formatHex(iv);
        Cipher cbc = Cipher.getInstance("SM4/CBC/PKCS5Padding", BC);
        cbc.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "SM4"), new IvParameterSpec(iv));
        write("order.sm4", cbc.doFinal(ORDER));
        check(sealstone("hazmat", "cipher", "-d", "-a", "sm4-cbc", "--key-file", "sm4.key", "--iv-hex", digits,
            "order.sm4"), ORDER);
        cbc.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "SM4"), new IvParameterSpec(iv));
        check(cbc.doFinal(sealstone("hazmat", "cipher", "-a", "sm4-cbc", "--key-file", "sm4.key", "--iv-hex", digits,
            "order")), ORDER);

        // Post-quantum keys: ML-KEM-768 decrypts, and ML-DSA-65 signs.
        for (String name : List.of("ML-KEM-768", "ML-DSA-65")) {
            KeyPair pair = KeyPairGenerator.getInstance(name, BC).generateKeyPair();
            sealstone("keygen", "--kind", name.toLowerCase(), "-o", name);
            for (KeyPair each : List.of(pair, exported(name, name))) {
                write("key", each.getPrivate().getEncoded());
                write("pub", each.getPublic().getEncoded());
                if (name.equals("ML-KEM-768")) {
                    sealstone("encrypt", "--force", "-R", "pub", "-o", "order.seal", "order");
                    check(sealstone("decrypt", "-i", "key", "-o", "-", "order.seal"), ORDER);
                } else {
                    sealstone("sign", "--force", "-k", "key", "-o", "order.sig", "order");
                    sealstone("verify-sig", "-k", "pub", "--signature", "order.sig", "order");
                }
            }
        }
        System.out.println("Bouncy Castle and Sealstone agree");
    }

    /** C1 || C3 || C2 as a SEQUENCE of x, y, C3 and C2 (GM/T 0009). */
    static byte[] toDer(byte[] text) throws Exception {
        return new DERSequence(new ASN1Encodable[] {
            new ASN1Integer(new BigInteger(1, text, 1, 32)),
            new ASN1Integer(new BigInteger(1, text, 33, 32)),
            new DEROctetString(Arrays.copyOfRange(text, 65, 97)),
            new DEROctetString(Arrays.copyOfRange(text, 97, text.length)),
        }).getEncoded();
    }

    static byte[] fromDer(byte[] der) {
        ASN1Sequence parts = ASN1Sequence.getInstance(der);
        byte[] x = BigIntegers.asUnsignedByteArray(32, ASN1Integer.getInstance(parts.getObjectAt(0)).getValue());
        byte[] y = BigIntegers.asUnsignedByteArray(32, ASN1Integer.getInstance(parts.getObjectAt(1)).getValue());
        byte[] c3 = ASN1OctetString.getInstance(parts.getObjectAt(2)).getOctets();
        byte[] c2 = ASN1OctetString.getInstance(parts.getObjectAt(3)).getOctets();
        return org.bouncycastle.util.Arrays.concatenate(new byte[][] {{4}, x, y, c3, c2});
    }

    /** Both halves of a key of Sealstone. */
    static KeyPair exported(String file, String algorithm) throws Exception {
        KeyFactory factory = KeyFactory.getInstance(algorithm, BC);
        byte[] secret = sealstone("key", "convert", "--to", "der", file);
        byte[] open = sealstone("key", "convert", "--to", "der", "--public", file);
        return new KeyPair(
            factory.generatePublic(new X509EncodedKeySpec(open)),
            factory.generatePrivate(new PKCS8EncodedKeySpec(secret)));
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

    /** Writes a new file, which only its owner can read from the beginning. */
    static void write(String name, byte[] bytes) throws Exception {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.deleteIfExists(folder.resolve(name));
        Files.write(Files.createFile(folder.resolve(name), mode), bytes);
    }

    private static void check(byte[] found, byte[] expected) {
        check(Arrays.equals(found, expected));
    }

    private static void check(boolean holds) {
        if (!holds) throw new AssertionError();
    }
}
