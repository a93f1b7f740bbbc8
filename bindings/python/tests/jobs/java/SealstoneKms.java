import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.crypto.keytools.KmsClient;

/** Wraps the keys of Parquet files by Sealstone's command line, in the form of sealstone.parquet. */
public class SealstoneKms implements KmsClient {
    private Configuration configuration;

    @Override
    public void initialize(Configuration configuration, String instance, String url, String token) {
        this.configuration = configuration;
    }

    @Override
    public String wrapKey(byte[] key, String masterKey) {
        String recipient = configuration.get("sealstone.recipient." + masterKey);
        return Base64.getEncoder().encodeToString(run(key, "seal", "--binary", "-r", recipient, "--aad", masterKey));
    }

    @Override
    public byte[] unwrapKey(String wrapped, String masterKey) {
        String identity = configuration.get("sealstone.identity");
        return run(Base64.getDecoder().decode(wrapped), "open", "-i", identity, "--aad", masterKey);
    }

    private byte[] run(byte[] input, String... arguments) {
        List<String> command = Stream.concat(Stream.of(configuration.get("sealstone.cli"), "message"), Arrays.stream(arguments)).toList();
        try {
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            new ByteArrayInputStream(input).transferTo(process.getOutputStream());
            process.getOutputStream().close();
            byte[] output = process.getInputStream().readAllBytes();
            if (process.waitFor() != 0) {
                throw new ParquetCryptoRuntimeException("sealstone message ended with status " + process.exitValue());
            }
            return output;
        } catch (IOException | InterruptedException error) {
            throw new ParquetCryptoRuntimeException("sealstone message", error);
        }
    }
}
