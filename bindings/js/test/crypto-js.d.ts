// Of the package's types nothing is asked: what is compared is text.
declare module 'crypto-js' {
  // biome-ignore lint/suspicious/noExplicitAny: the same programs run on theirs and on ours
  const CryptoJS: any
  export default CryptoJS
}
