import { ArgumentError, failureOf, SealstoneError } from '../error.js'
import { checkName, pathIn } from './name.js'

/** A file, and where it was in the folder that was dropped or picked. */
export interface PathFile {
  /** Names with `/` between them, none of them empty, `.` or `..`: `photos/2026/dawn.jpg`, or `dawn.jpg` of a file alone. */
  readonly path: string
  readonly file: File
}

/**
 * The files of a drop, of an `<input type="file">`, with `webkitdirectory` too, or of a folder of `showDirectoryPicker`; those in
 * folders with their paths. A folder without files has none here.
 *
 * Call it in the listener of the event itself, before any `await`: what was dropped is gone after that. The files are looked for
 * when they are asked for.
 *
 * @throws {@link ArgumentError} where a name would lead out of its folder; {@link SealstoneError} `io` where one cannot be read,
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

/** What was dropped, taken while it is there: entries, which have what is in folders, or files where there are no entries. */
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
    // It gives some at a time, and none at the end.
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

/** What the browser reads of the user's disk. */
async function readable<T>(reading: Promise<T>, path: string): Promise<T> {
  try {
    return await reading
  } catch (cause) {
    throw new SealstoneError('io', `cannot read ${path || 'the folder'}: ${failureOf(cause).message}`, { cause })
  }
}

/** By what it has: a frame's object is of a class of its own. */
function has<T>(value: unknown, name: keyof T): value is T {
  return typeof value === 'object' && value !== null && name in value
}
