// Encrypts and decrypts files and streams. Each call of `sealstone` is a process.
//
//     java Service.java      with `sealstone` in a folder of PATH

import java.io.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.*;

import static java.nio.charset.StandardCharsets.UTF_8;

class Service {
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("service");
        String film = folder + "/film", key = folder + "/key", pub = folder + "/pub", none = folder + "/none";
        byte[] content = "a film\n".repeat(50_000).getBytes();
        Files.write(Path.of(film), content);

        // Keys. Only the owner can read the file of the secret key: keygen gives it mode 0600.
        sealstone("keygen", "-o", key);
        sealstone("key", "convert", "--public", "--to", "age", "-o", pub, key);

        // Files by name. An output appears when it is complete, a plaintext only when all of it is authentic.
        sealstone("encrypt", "-R", pub, "-o", film + ".seal", "--", film);
        sealstone("decrypt", "-i", key, "-o", film + ".copy", "--", film + ".seal");
        check(Files.mismatch(Path.of(film), Path.of(film + ".copy")) == -1);

        // A stream into a file. If this JVM dies, sealstone takes the end of the pipe for the end of the stream.
        // So the program names the file once the call has returned.
        Path part = Path.of(folder + "/upload.part"), upload = Path.of(folder + "/upload.seal");
        output(stream(content), "encrypt", "-R", pub, "-o", part.toString());
        Files.move(part, upload, StandardCopyOption.ATOMIC_MOVE);

        // A stream into memory.
        byte[] sealed = output(stream(content), "encrypt", "-R", pub);
        byte[] plaintext = output(stream(sealed), "decrypt", "-i", key);
        check(Arrays.equals(plaintext, content));

        // A file that was cut short. Its first bytes are authentic and reach the stream, so discard them.
        byte[] cut = Arrays.copyOf(sealed, 200_000);
        var discarded = new ByteArrayOutputStream();
        Failure failure = failure(() -> sealstone(stream(cut), discarded, LIMIT, "decrypt", "-i", key));
        check(failure.status == 4 && failure.code.equals("not_authentic") && discarded.size() > 0);
        failure(() -> output(stream(cut), "decrypt", "-i", key, "-o", none));
        check(Files.notExists(Path.of(none)));

        // Many files in one call, one of which is missing. The others are encrypted.
        failure = failure(() -> sealstone("encrypt", "-R", pub, "-o", folder + "/many/", "--", film, pub, none));
        check(failure.status == 5 && failure.events.contains("\"code\":\"io\"") && failure.events.contains(none));
        check(Files.exists(Path.of(folder + "/many/film.seal")) && Files.exists(Path.of(folder + "/many/pub.seal")));

        // A secret that no file has: stdin carries the identity or the passphrase, and the data has a name.
        output(stream(Files.readAllBytes(Path.of(key))), "decrypt", "-i", "-", "-o", film + ".2", "--", film + ".seal");
        output(stream("correct horse\n".getBytes()), "encrypt", "-p", "--passphrase-fd", "0",
            "-o", film + ".words", "--", film);

        // A source that fails, and a source that never ends. Neither leaves a file.
        var broken = new FilterInputStream(nothing()) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                throw new IOException("the client hung up");
            }
        };
        failure = failure(() -> output(broken, "encrypt", "-R", pub, "-o", none));
        check(failure.getCause().getMessage().equals("the client hung up"));
        try (var silent = new PipedInputStream(new PipedOutputStream())) {
            sealstone(silent, discarded, Duration.ofMillis(100), "encrypt", "-R", pub, "-o", none);
            check(false);
        } catch (TimeoutException expected) {
            check(Files.notExists(Path.of(none)));
        }
        System.out.println("files and streams came back");
    }

    static final Duration LIMIT = Duration.ofMinutes(10);

    /** Runs `sealstone` with files by name. */
    static void sealstone(String... arguments) throws Exception {
        sealstone(nothing(), OutputStream.nullOutputStream(), LIMIT, arguments);
    }

    /** Runs `sealstone` with a stream, and returns its output once its exit status says that the output is whole. */
    static byte[] output(InputStream from, String... arguments) throws Exception {
        var to = new ByteArrayOutputStream();
        sealstone(from, to, LIMIT, arguments);
        return to.toByteArray();
    }

    /** Runs `sealstone` from one stream to another, and closes neither. If this throws, discard what `to` received. */
    static void sealstone(InputStream from, OutputStream to, Duration limit, String... arguments) throws Exception {
        var command = new ArrayList<>(List.of("sealstone", "--json"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).start();
        var events = new ByteArrayOutputStream();
        var fault = new AtomicReference<Exception>();
        // Each pipe has a thread, because the process waits while a pipe is full.
        // Nothing waits for the first thread, because its source may never end.
        thread(process, fault, () -> {
            from.transferTo(process.getOutputStream());
            process.getOutputStream().close();
        });
        Thread output = thread(process, fault, () -> process.getInputStream().transferTo(to));
        Thread errors = thread(process, fault, () -> process.getErrorStream().transferTo(events));
        try {
            boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) throw new TimeoutException("sealstone ran for " + limit);
        } finally {
            stop(process); // after the limit, or when this thread is interrupted
        }
        output.join();
        errors.join();
        if (process.exitValue() != 0) throw new Failure(process.exitValue(), events.toString(UTF_8), fault.get());
        if (fault.get() != null) throw fault.get();
    }

    private static Thread thread(Process process, AtomicReference<Exception> fault, Step step) {
        var thread = new Thread(() -> {
            try {
                step.run();
            } catch (Exception exception) {
                fault.compareAndSet(null, exception);
                stop(process); // with stdin still open: sealstone would take its end for the end of the source
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Sends SIGTERM, upon which sealstone removes its temporary file. `Process.destroy` would close stdin as well. */
    private static void stop(Process process) {
        process.toHandle().destroy();
        process.onExit().orTimeout(10, TimeUnit.SECONDS).exceptionally(late -> process.destroyForcibly()).join();
    }

    interface Step {
        void run() throws Exception;
    }

    /** What sealstone reported. Decide by the status or the code, which never change. */
    static class Failure extends IOException {
        final int status;
        final String code;
        final String events; // one JSON object on each line

        Failure(int status, String events, Exception cause) {
            super("sealstone ended with " + status + ": " + events, cause);
            Matcher codes = Pattern.compile("^\\{\"code\":\"(\\w+)\",", Pattern.MULTILINE).matcher(events);
            this.status = status;
            this.code = codes.results().reduce((first, last) -> last).map(last -> last.group(1)).orElse("none");
            this.events = events;
        }
    }

    private static InputStream nothing() {
        return InputStream.nullInputStream();
    }

    private static InputStream stream(byte[] bytes) {
        return new ByteArrayInputStream(bytes);
    }

    private static Failure failure(Step step) throws Exception {
        try {
            step.run();
        } catch (Failure failure) {
            return failure;
        }
        throw new AssertionError("sealstone reported no failure");
    }

    private static void check(boolean holds) {
        if (!holds) throw new AssertionError();
    }
}
