/** Another realm's globals: of a frame, or of a context of Node's. */
export async function otherRealm(): Promise<typeof globalThis> {
  if (typeof document === 'undefined') {
    const { runInNewContext } = await import('node:vm')
    return runInNewContext('globalThis')
  }
  const frame = document.body.appendChild(document.createElement('iframe'))
  return frame.contentWindow as never
}
