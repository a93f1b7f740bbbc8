/**
 * Where a page gets files from, and where it puts them. Nothing here encrypts: what is saved is any stream, such as those of
 * `encrypt` and `decrypt`.
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
