/**
 * Reads the files that a user drops or picks, and saves streams as files. Nothing here encrypts: you can save any stream, such as one
 * of `encrypt` or `decrypt`.
 *
 * @module sealstone/web
 */

export { filesOf, type PathFile } from './input.js'
export {
  type SaveOptions,
  type StreamLike,
  saveAs,
  type TemporaryFile,
  type TemporaryFileOptions,
  temporaryFile,
  writeFile,
} from './output.js'
