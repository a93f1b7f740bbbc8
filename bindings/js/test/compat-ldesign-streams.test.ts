// The deep paths of sealstone/compat/ldesign: streams and files.

import { expect, test } from 'vitest'
import { turn } from '../src/basics/turn.js'
import { decryptBlocks } from '../src/extras/ldesign/aes.js'
import { FileEncryptor, fileEncryptor, StreamCipher, streamCipher } from '../src/extras/ldesign/core/stream.js'
import { aes } from '../src/extras/ldesign/index.js'
import { MessageReader, MessageWriter } from '../src/extras/ldesign/messages.js'
import { StreamEncryptor, streamDecrypt, streamEncrypt } from '../src/extras/ldesign/stream.js'
import { bytesOf, compare, concat, type Data, flip, randomBytes, textOf, toBase64 } from './data.js'
import { hastyClock } from './turns.js'

const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
const LENGTHS = [0, 1, 2, 3, 35, 36, 37, 47, 48, 49, 1000, 65_520, 65_536, 65_537, 300_001]

const same = (a: ArrayBuffer | Uint8Array, b: Uint8Array): void => expect(compare(new Uint8Array(a), b)).toBe(0)

async function read(stream: ReadableStream<Uint8Array>): Promise<Data> {
  const parts: Uint8Array[] = []
  const reader = stream.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value)
  return concat(parts)
}

/** Bytes in pieces of a length. */
function streamOf(bytes: Uint8Array, length: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + length))
      at += length
    },
  })
}

/** Their output: each piece, as the text that it is taken for, under one IV. */
function theirs(pieces: readonly string[], iv: string, mode: 'CBC' | 'CTR'): string[] {
  return pieces.map((piece) => aes.encrypt(piece, KEY, { iv, mode }).data as string)
}

test('long data, of every length: theirs reads one message, and ours reads theirs', async () => {
  for (const len of LENGTHS) {
    const data = randomBytes(len)
    const told: number[] = []
    const sealed = await streamCipher.encryptLargeData(data, KEY, {
      chunkSize: 1000,
      onProgress: (done) => told.push(done),
    })
    const { iv, tag, originalSize } = sealed.metadata
    expect(originalSize).toBe(len)
    expect([told.length > 0, told.at(-1)]).toEqual(len > 0 ? [true, 1] : [false, undefined])
    same(await streamCipher.decryptLargeData(sealed.data, KEY, iv), data)
    same(await streamCipher.decryptLargeData(sealed.data, KEY, iv, { tag: tag as string }), data)
    const text = textOf(new Uint8Array(sealed.data))
    if (len > 0) expect(atob(aes.decrypt(text, KEY, { iv }).data as string)).toHaveLength(len)

    // Theirs: many messages under one IV.
    const pieces = Array.from({ length: Math.ceil(len / 1000) }, (_, i) =>
      toBase64(data.slice(i * 1000, (i + 1) * 1000)),
    )
    const old = bytesOf(theirs(pieces, iv, 'CBC').join('|'))
    same(await streamCipher.decryptLargeData(old, KEY, iv), data)
  }
})

test('no IV stands for two messages: equal pieces have no equal ciphertexts', async () => {
  const data = new Uint8Array(3 * 65_536)
  const { data: sealed } = await streamCipher.encryptLargeData(data, KEY)
  const blocks = textOf(new Uint8Array(sealed)).match(/.{64}/g) ?? []
  expect(new Set(blocks).size).toBe(blocks.length)
  const { data: blob } = await streamEncrypt.file(new Blob([data]), KEY, { chunkSize: 65_536 })
  const parts = (await (blob as Blob).text()).match(/.{64}/g) ?? []
  expect(new Set(parts).size).toBe(parts.length)
})

test('a wrong key and a change are seen, by the tag in every byte', async () => {
  const data = randomBytes(1000)
  const { data: sealed, metadata } = await streamCipher.encryptLargeData(data, KEY)
  const { iv, tag = '' } = metadata
  const failed = expect.objectContaining({
    name: 'DecryptionError',
    cause: expect.objectContaining({ code: 'not_authentic' }),
  })
  await expect(streamCipher.decryptLargeData(sealed, 'other', iv)).rejects.toThrow(failed)
  for (const at of [0, 500, sealed.byteLength - 1]) {
    const changed = new Uint8Array(sealed.slice(0))
    changed[at] = changed[at] === 65 ? 66 : 65
    await expect(streamCipher.decryptLargeData(changed, KEY, iv, { tag })).rejects.toThrow(failed)
  }

  const { blob } = await fileEncryptor.encryptFile(new File([data], 'a', { type: 'text/plain' }), KEY)
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const [head, text] = [bytes.slice(0, 4), textOf(bytes.subarray(4))]
  const tampered = [text.replace('text/plain', 'text/plaim'), text.replace('"originalName":"a"', '"originalName":"b"')]
  for (const other of tampered) {
    expect(other).not.toBe(text)
    await expect(fileEncryptor.decryptFile(new Blob([head, other]), KEY)).rejects.toThrow(failed)
  }
  const cut = bytes.slice(0, -64)
  await expect(fileEncryptor.decryptFile(new Blob([cut]), KEY)).rejects.toThrow(failed)
  await expect(fileEncryptor.decryptFile(new Blob([randomBytes(100)]), KEY)).rejects.toThrow(
    /not written by FileEncryptor/,
  )
  await expect(fileEncryptor.decryptFile(blob, 'other')).rejects.toThrow(failed)
  // Without its tag it is read, and says that it was not authenticated.
  const without = text.replace(/,"tag":"[0-9a-f]{64}"/, '')
  const shorter = new DataView(new ArrayBuffer(4))
  shorter.setUint32(0, new DataView(head.buffer).getUint32(0, true) - (text.length - without.length), true)
  const file = await fileEncryptor.decryptFile(new Blob([shorter.buffer, without]), KEY)
  expect(file.authenticated).toBe(false)
  same(await file.blob.arrayBuffer(), data)
})

test('digits are read as they are written: no others, none between them, no padding before the end', async () => {
  const failed = expect.objectContaining({ name: 'DecryptionError' })
  const read = (text: string, iv: string) => streamCipher.decryptLargeData(bytesOf(text), KEY, iv)
  const { data, metadata } = await streamCipher.encryptLargeData(randomBytes(100_000), KEY)
  const text = textOf(new Uint8Array(data))
  const at = text.search(/[+/]/)
  const url = text.charAt(at) === '+' ? '-' : '_'
  const wrong = [`${text.slice(0, at)}${url}${text.slice(at + 1)}`, `\ufeff${text}`, `${text}\n`, `${text}====`]
  wrong.push(
    ...[4, 70_000, 100_000].flatMap((at) => ['\n', '=', 'é'].map((one) => text.slice(0, at) + one + text.slice(at))),
  )
  for (const other of wrong) await expect(read(other, metadata.iv)).rejects.toThrow(failed)
  // Within the message likewise: theirs has padding where one ends.
  for (const inner of ['QQ==QUJD', 'QU=D', 'QU-D', 'QUJD\n', 'QQ']) {
    const [message = ''] = theirs([`${'QUJD'.repeat(48)}${inner}`], metadata.iv, 'CBC')
    await expect(read(message, metadata.iv)).rejects.toThrow(failed)
  }
})

test('streams, in pieces of every length', async () => {
  for (const len of [0, 1, 48, 1000, 70_000]) {
    const data = randomBytes(len)
    for (const length of [1, 7, 48, 65_536]) {
      if (len / length > 10_000) continue
      const { stream, metadata } = await new StreamCipher().encryptStream(streamOf(data, length), KEY)
      const sealed = await read(stream)
      expect(aes.decrypt(textOf(sealed), KEY, { iv: metadata.iv }).success || len > 0).toBe(true)
      same(await read(await streamCipher.decryptStream(streamOf(sealed, length), KEY, metadata.iv)), data)
    }
  }
  const { stream, metadata } = await streamCipher.encryptStream('hello 世界', KEY)
  const sealed = await read(stream)
  expect(aes.decrypt(textOf(sealed), KEY, { iv: metadata.iv }).data).toBe('hello 世界')
  // Their output for three pieces.
  const old = bytesOf(theirs(['hello ', '世界', '!'], metadata.iv, 'CBC').join(''))
  for (const length of [1, 5, 1000]) {
    expect(textOf(await read(await streamCipher.decryptStream(streamOf(old, length), KEY, metadata.iv)))).toBe(
      'hello 世界!',
    )
  }
  await expect(read(await streamCipher.decryptStream(streamOf(sealed, 5), 'other', metadata.iv))).rejects.toThrow(
    /invalid key/,
  )
  flip(sealed, 3)
  const pipeline = streamCipher.createEncryptionPipeline(KEY)
  const piped = await read(streamOf(bytesOf('piped'), 2).pipeThrough(pipeline))
  const back = streamOf(piped, 9).pipeThrough(streamCipher.createDecryptionPipeline(KEY, pipeline.iv))
  expect(textOf(await read(back))).toBe('piped')
})

test('pieces of a file are one text', async () => {
  const data = randomBytes(5000)
  const chunks = []
  for await (const chunk of new FileEncryptor().encryptFileChunks(new File([data], 'a'), KEY, 999)) chunks.push(chunk)
  expect(chunks.map(({ index, total }) => [index, total])).toEqual(Array.from({ length: 6 }, (_, i) => [i, 6]))
  expect(chunks.at(-1)?.progress).toBe(1)
  const text = concat(chunks.map(({ chunk }) => chunk))
  same(await read(await streamCipher.decryptStream(streamOf(text, 100), KEY, chunks[0]?.iv as string)), data)
})

test('files of streamEncrypt, binary too, of every length, with a tag', async () => {
  for (const mode of ['CTR', 'CBC'] as const) {
    for (const len of LENGTHS) {
      const data = randomBytes(len)
      const sealed = await streamEncrypt.file(new Blob([data]), KEY, { mode, chunkSize: 1000 })
      expect(sealed).toMatchObject({
        success: true,
        totalBytes: len,
        metadata: { algorithm: 'AES', mode, keySize: 256 },
      })
      const opened = await streamDecrypt.file(sealed.data as Blob, KEY, sealed.metadata)
      expect(opened).toMatchObject({ success: true, authenticated: true })
      same(await (opened.data as Blob).arrayBuffer(), data)
      const wrong = await streamDecrypt.file(sealed.data as Blob, 'other', sealed.metadata)
      expect(wrong).toMatchObject({ success: false, authenticated: false, code: 'not_authentic' })
      expect(wrong.data).toBe(undefined)
    }
  }
})

test('files of theirs are cut where their messages end', async () => {
  const iv = '101112131415161718191a1b1c1d1e1f'
  // Pieces whose Base64 has padding and pieces whose Base64 has none, ASCII and longer, and a character that was cut apart.
  for (const chunkSize of [32, 48, 100, 1000, 5000]) {
    for (const text of ['x'.repeat(12_345), 'abc', '0123456789'.repeat(chunkSize / 2), '世界 '.repeat(1000)]) {
      const bytes = bytesOf(text)
      const isAscii = bytes.length === text.length
      const pieces = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, i) =>
        textOf(bytes.slice(i * chunkSize, (i + 1) * chunkSize)),
      )
      for (const mode of ['CTR', 'CBC'] as const) {
        const sealed = theirs(pieces, iv, mode)
        const hasPadding = sealed.slice(0, -1).every((message) => message.endsWith('='))
        if (!isAscii && !hasPadding) continue
        const metadata = { success: true, algorithm: 'AES', mode, keySize: 256, iv }
        const opened = await streamDecrypt.file(new Blob([sealed.join('')]), KEY, metadata, { chunkSize })
        expect(opened).toMatchObject({ success: true, authenticated: false })
        expect(await (opened.data as Blob).text()).toBe(pieces.join(''))
        const wrong = await streamDecrypt.file(new Blob([sealed.join('')]), 'other', metadata, { chunkSize })
        expect(wrong).toMatchObject({ success: false, code: 'not_authentic' })
      }
    }
  }
})

test('a promise of onProgress that rejects fails the work', async () => {
  const [file, boom] = [new Blob([randomBytes(3000)]), new Error('boom')]
  const onProgress = async () => Promise.reject(boom)
  expect(await streamEncrypt.file(file, KEY, { onProgress })).toMatchObject({ success: false, error: 'boom' })
  const { data, metadata } = await streamEncrypt.file(file, KEY)
  const decrypting = streamDecrypt.file(data as Blob, KEY, metadata, { onProgress })
  expect(await decrypting).toMatchObject({ success: false, error: 'boom' })
  const large = await file.arrayBuffer()
  await expect(streamCipher.encryptLargeData(large, KEY, { onProgress })).rejects.toThrow('boom')
  const sealed = await streamCipher.encryptLargeData(large, KEY)
  await expect(streamCipher.decryptLargeData(sealed.data, KEY, sealed.metadata.iv, { onProgress })).rejects.toThrow(
    'boom',
  )
})

test('work is told of, paused and cancelled', async () => {
  const file = new Blob([randomBytes(10_000)])
  const told: number[] = []
  const encryptor = new StreamEncryptor()
  encryptor.pause()
  const clock = hastyClock()
  const onProgress = ({ percentage }: { percentage: number }) => told.push(percentage)
  const encrypting = encryptor.encryptFile(file, KEY, { chunkSize: 1000, onProgress })
  for (let i = 0; i < 20; i++) await turn()
  expect(told).toEqual([])
  encryptor.resume()
  const result = await encrypting
  clock.mockRestore()
  expect(result.success).toBe(true)
  expect(told).toEqual(Array.from({ length: 10 }, (_, i) => 10 * (i + 1)))
  expect(result.duration).toBeGreaterThan(4)
  encryptor.cancel()
  expect(await encryptor.encryptFile(file, KEY)).toMatchObject({ success: false, error: 'Operation cancelled' })
})

test('what a stream does not have is refused', async () => {
  await expect(
    streamCipher.encryptLargeData(new Uint8Array(1), KEY, { algorithm: 'ChaCha20' as never }),
  ).rejects.toThrow(/unsupported/)
  await expect(
    streamCipher.encryptLargeData(new Uint8Array(1), KEY, { encryptionOptions: { mode: 'CTR' } }),
  ).rejects.toThrow(/unsupported/)
  await expect(streamCipher.encryptLargeData(new Uint8Array(1), ' ')).rejects.toThrow(/Key cannot be empty/)
  await expect(streamCipher.decryptLargeData(new Uint8Array(1), KEY, 'no iv')).rejects.toThrow(/IV/)
  expect(await streamEncrypt.file(new Blob(), KEY, { algorithm: 'DES' as never })).toMatchObject({
    code: 'unsupported',
  })
})

test('a tag that a caller says is the one that must be there', async () => {
  const file = new File(['attack at dawn'], 'plan.txt', { type: 'text/plain' })
  const { blob, metadata } = await fileEncryptor.encryptFile(file, KEY)
  const { tag, ...without } = metadata
  expect((await fileEncryptor.decryptFile(blob, KEY, { tag: tag as string })).authenticated).toBe(true)
  await expect(fileEncryptor.decryptFile(blob, KEY, { tag: 'f'.repeat(64) })).rejects.toThrow(
    /invalid key or corrupted/,
  )
  // Without the tag an attacker may say anything of the file: the result shows that, or the caller's tag does.
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const body = bytes.slice(4 + new DataView(bytes.buffer).getUint32(0, true))
  const head = bytesOf(JSON.stringify({ ...without, originalName: 'other.txt' }))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, head.length, true)
  const stripped = new Blob([length, head, body])
  expect((await fileEncryptor.decryptFile(stripped, KEY)).authenticated).toBe(false)
  await expect(fileEncryptor.decryptFile(stripped, KEY, { tag: tag as string })).rejects.toThrow(
    /invalid key or corrupted/,
  )
  // A stream gives bytes before its end is seen, and has no tag.
  const iv = '0'.repeat(32)
  await expect(streamCipher.decryptStream(new Blob().stream(), KEY, iv, { tag: tag as string })).rejects.toThrow(
    /unsupported/,
  )
  expect(() => streamCipher.createDecryptionPipeline(KEY, iv, { tag: tag as string })).toThrow(/unsupported/)
})

test('what cannot be read back is not written, and a length is a number of bytes', async () => {
  const long = new File(['x'], 'x'.repeat(2 << 20))
  await expect(fileEncryptor.encryptFile(long, KEY)).rejects.toThrow(/too long/)
  for (const length of [Number.NaN, -5, 0, 1.5]) {
    await expect(fileEncryptor.encryptFileChunks(new File(['x'], 'x'), KEY, length).next()).rejects.toThrow(/chunkSize/)
  }
})

test('a counter begins again at 0 within a long piece, whoever computes it', async () => {
  const key = new Uint8Array(32).fill(7)
  const text = 'attack at dawn! '.repeat(10_000)
  for (const mode of ['CTR', 'CBC'] as const) {
    const iv = `${'0f'.repeat(12)}fffffff0`
    const writer = new MessageWriter(key, mode, iv)
    const parts = [await writer.update(new TextEncoder().encode(text)), await writer.finish()]
    const digits = parts.map((part) => new TextDecoder().decode(part)).join('')
    expect(decryptBlocks(key, mode, iv, digits)).toBe(text)
    const reader = new MessageReader(key, mode, iv)
    const bytes = [await reader.update(new TextEncoder().encode(digits)), await reader.finish()]
    expect(bytes.map((part) => new TextDecoder().decode(part)).join('')).toBe(text)
  }
})
