import { isHtml } from './content-type.js'
import type { SiteEntry, SiteFolder } from './site-folder.js'

/** A way in which a file may have been compressed when the game was built. */
interface Encoding {
  readonly extension: string
  readonly name: string
}

/** The better ones come first. */
const ENCODINGS: readonly Encoding[] = [
  { extension: '.br', name: 'br' },
  { extension: '.gz', name: 'gzip' },
]

/** A compressed file may be this much older than its original, since copies of a build get their times in any order. */
const STALE_AFTER_MS = 60_000

export interface CompressedFile extends SiteEntry {
  readonly encoding: string
}

/** Finds the compressed files beside one, such as `app.js.br` for `app.js`. Those of an earlier build are left out. */
export async function compressedBeside(
  folder: SiteFolder,
  segments: readonly string[],
  original: SiteEntry | undefined,
): Promise<CompressedFile[]> {
  const found: CompressedFile[] = []
  for (const { extension, name } of ENCODINGS) {
    const entry = await folder.find([...segments.slice(0, -1), `${segments.at(-1)!}${extension}`])
    if (!entry?.stat.isFile()) continue
    const isStale = entry.stat.mtimeMs < (original?.stat.mtimeMs ?? 0) - STALE_AFTER_MS
    if (!isStale) found.push({ ...entry, encoding: name })
  }
  return found
}

/** A name such as `game.wasm.br`, taken apart. */
export interface CompressedName {
  /** The name of the file inside: `game.wasm`. */
  readonly inner: string
  readonly encoding: string
}

/**
 * Reads the name of a compressed file that a page asks for itself, as the loaders of some engines do. They leave the
 * unpacking to the browser, which needs the encoding and the type of the file inside. An archive (`.tar.gz`) is none.
 */
export function compressedByName(name: string): CompressedName | undefined {
  const encoding = ENCODINGS.find(({ extension }) => name.toLowerCase().endsWith(extension))
  const inner = name.slice(0, -(encoding?.extension.length ?? 0))
  if (encoding === undefined || !/.\.(?!tar$)\w+$/i.test(inner) || isHtml(inner)) return undefined
  return { inner, encoding: encoding.name }
}

/** Whether an Accept-Encoding header accepts an encoding. */
export function acceptsEncoding(header: string | undefined, name: string): boolean {
  const weights = new Map<string, number>()
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2)
    weights.set(coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get(name) ?? weights.get('*') ?? 0) > 0
}
