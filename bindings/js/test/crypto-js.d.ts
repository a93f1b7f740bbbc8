// The package's types do not matter: the tests compare text.
declare module 'crypto-js' {
  // biome-ignore lint/suspicious/noExplicitAny: the same programs run on theirs and on ours
  const CryptoJS: any
  export default CryptoJS
}
