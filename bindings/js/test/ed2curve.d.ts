// The package has no types.
declare module 'ed2curve' {
  const ed2curve: {
    convertPublicKey(publicKey: Uint8Array): Uint8Array | null
    convertSecretKey(secretKey: Uint8Array): Uint8Array
  }
  export default ed2curve
}
