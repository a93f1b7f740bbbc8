// Operations that every AEAD has, around the engine's own calls.

#include "protocol.h"

#include <stdlib.h>
#include <string.h>

const unsigned char KEY[KEY_LENGTH] = {
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
    0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
};

const unsigned char NONCE[NONCE_MAX_LENGTH] = {
    0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b,
    0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57,
};

bool set_up_seal(struct job *job, unsigned char *input, size_t length)
{
    job->work = input;
    job->output_length = length + TAG_LENGTH;
    return job->engine->set_key(job, true);
}

// Sealing again what is sealed already is the same work, so nothing is restored between two runs.
bool run_seal(struct job *job)
{
    return job->engine->seal(job, NONCE, job->work, job->output_length - TAG_LENGTH);
}

bool set_up_open(struct job *job, unsigned char *input, size_t length)
{
    job->source = input;
    job->source_length = length + TAG_LENGTH;
    job->output_length = length;
    const struct engine *engine = job->engine;
    return allocate(&job->work, job->source_length) && engine->set_key(job, true)
        && engine->seal(job, NONCE, input, length) && engine->set_key(job, false);
}

// Opening in place destroys its input, so every run begins with a copy of it.
bool run_open(struct job *job)
{
    memcpy(job->work, job->source, job->source_length);
    return job->engine->open(job, NONCE, job->work, job->output_length);
}

// Spreads the lines, so that each has room for its tag. An end of a line is one line feed; the last needs none.
bool set_up_records(struct job *job, unsigned char *input, size_t length)
{
    const unsigned char *end = input + length;
    size_t text_length = 0;
    for (const unsigned char *at = input, *next; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        text_length += (size_t)(next - at);
        job->record_count++;
    }
    job->output_length = text_length + job->record_count * TAG_LENGTH;
    // It is the job's, to be freed if there is no memory.
    job->source = input;
    job->records = calloc(job->record_count + 1, sizeof *job->records);
    if (!job->records)
        return fail("no memory for %zu records", job->record_count);
    if (!allocate(&job->work, job->output_length))
        return false;

    size_t to = 0, count = 0;
    for (const unsigned char *at = input, *next; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        size_t record_length = (size_t)(next - at);
        memcpy(job->work + to, at, record_length);
        job->records[count++] = (struct record){to, record_length};
        to += record_length + TAG_LENGTH;
    }
    free(job->source);
    job->source = NULL;
    return job->engine->set_key(job, true);
}

// The records have AES-256-GCM.
enum { RECORD_NONCE_LENGTH = 12 };

bool run_records(struct job *job)
{
    unsigned char nonce[RECORD_NONCE_LENGTH] = {0};
    uint64_t before = monotonic_ns();
    for (size_t i = 0; i < job->record_count; i++) {
        for (int byte = 0; byte < 8; byte++)
            nonce[RECORD_NONCE_LENGTH - 1 - byte] = (unsigned char)((uint64_t)i >> (8 * byte));
        if (!job->engine->seal(job, nonce, job->work + job->records[i].at, job->records[i].length))
            return false;
        uint64_t now = monotonic_ns();
        if (now - before > job->longest_ns)
            job->longest_ns = now - before;
        before = now;
    }
    return true;
}
