import { ArgumentError, failureOf, SealstoneError } from '../../basics/error.js'
import { checkName, pathIn } from './name.js'

/** A file, with its path in the dropped or picked folder. */
export interface PathFile {
  /** Names with `/` between them, none of them empty, `.` or `..`: `photos/2026/dawn.jpg`, or `dawn.jpg` for a single file. */
  readonly path: string
  readonly file: File
}

/**
 * The files of a drop, of an `<input type="file">` (also with `webkitdirectory`), or of a folder of `showDirectoryPicker`. Files in
 * folders have their paths. A folder without files gives none.
 *
 * Call it in the listener of the event itself, before any `await`: after that, the browser has forgotten the dropped files. It looks
 * for files only as you iterate.
 *
 * @throws {@link ArgumentError} if a name would lead out of its folder; {@link SealstoneError} `io` if a file or folder cannot be read,
 * with the browser's error as its `cause`.
 *
 * @example
 * ```ts
 * import { filesOf } from 'sealstone/web'
 *
 * for await (const { path, file } of filesOf([new File(['attack at dawn'], 'letter.txt')])) {
 *   console.log(path, file.size) // letter.txt 14
 * }
 * ```
 */
export function filesOf(source: DataTransfer | ArrayLike<File> | FileSystemDirectoryHandle): AsyncIterable<PathFile> {
  if (has<DataTransfer>(source, 'items')) return dropped(entriesOf(source))
  if (has<FileSystemDirectoryHandle>(source, 'getFileHandle')) return inFolder(source, '')
  if (has<ArrayLike<File>>(source, 'length')) return listed(Array.from(source))
  throw new ArgumentError('filesOf takes a DataTransfer, a FileList or the handle of a folder')
}

type Files = AsyncGenerator<PathFile, void, undefined>

/** The dropped items, read while the browser still has them: entries, which can list folders, or files if there are no entries. */
function entriesOf({ items }: DataTransfer): (FileSystemEntry | File)[] {
  const taken: (FileSystemEntry | File | null)[] = []
  for (const item of Array.from(items)) {
    if (item.kind === 'file') taken.push(item.webkitGetAsEntry?.() ?? item.getAsFile())
  }
  return taken.filter((entry) => entry !== null)
}

async function* dropped(entries: (FileSystemEntry | File)[]): Files {
  for (const entry of entries) {
    if (has<FileSystemEntry>(entry, 'fullPath')) yield* ofEntry(entry, pathIn('', entry.name))
    else yield { path: checkName(entry.name), file: entry }
  }
}

async function* ofEntry(entry: FileSystemEntry, path: string): Files {
  if (isFolder(entry)) {
    const reader = entry.createReader()
    // The reader gives some entries at a time, and none at the end.
    for (let some = await entriesIn(reader, path); some.length > 0; some = await entriesIn(reader, path)) {
      for (const inside of some) yield* ofEntry(inside, pathIn(path, inside.name))
    }
  } else {
    const taking = new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    yield { path, file: await readable(taking, path) }
  }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function entriesIn(reader: FileSystemDirectoryReader, path: string): Promise<FileSystemEntry[]> {
  return readable(new Promise((resolve, reject) => reader.readEntries(resolve, reject)), path)
}

async function* inFolder(folder: FileSystemDirectoryHandle, path: string): Files {
  const handles = folder.values()
  while (true) {
    const { done, value: handle } = await readable(handles.next(), path)
    if (done) return
    const within = pathIn(path, handle.name)
    if (handle.kind === 'directory') yield* inFolder(handle as FileSystemDirectoryHandle, within)
    else yield { path: within, file: await readable((handle as FileSystemFileHandle).getFile(), within) }
  }
}

async function* listed(files: File[]): Files {
  for (const file of files) {
    const names = (file.webkitRelativePath || file.name).split('/')
    yield { path: names.reduce(pathIn, ''), file }
  }
}

/** Awaits a read of the user's disk, and turns a failure into an error of this package. */
async function readable<T>(reading: Promise<T>, path: string): Promise<T> {
  try {
    return await reading
  } catch (cause) {
    throw new SealstoneError('io', `cannot read ${path || 'the folder'}: ${failureOf(cause).message}`, { cause })
  }
}

/** Checks for a property, not for a class: an object of another frame has a class of its own. */
function has<T>(value: unknown, name: keyof T): value is T {
  return typeof value === 'object' && value !== null && name in value
}
