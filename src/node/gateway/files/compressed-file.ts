import { isHtml } from './content-type.js'
import type { SiteEntry, SiteFolder } from './site-folder.js'

/** A way a file may have been compressed when the game was built; the better ones first. */
interface Encoding {
  readonly extension: string
  readonly name: string
}

const ENCODINGS: readonly Encoding[] = [
  { extension: '.br', name: 'br' },
  { extension: '.gz', name: 'gzip' },
]

/** How much older a compressed file may be: copying a build gives the files their times in any order. */
const STALE_AFTER_MS = 60_000

export interface CompressedFile extends SiteEntry {
  readonly encoding: string
}

/** The compressed files beside one, `app.js.br` for `app.js`, that aren't left over from an earlier build. */
export async function compressedBeside(
  folder: SiteFolder,
  segments: readonly string[],
  original: SiteEntry | undefined,
): Promise<CompressedFile[]> {
  const found: CompressedFile[] = []
  for (const { extension, name } of ENCODINGS) {
    const entry = await folder.find([...segments.slice(0, -1), `${segments.at(-1)!}${extension}`])
    if (entry === undefined || !entry.stat.isFile()) continue
    const isStale = entry.stat.mtimeMs < (original?.stat.mtimeMs ?? 0) - STALE_AFTER_MS
    if (!isStale) found.push({ ...entry, encoding: name })
  }
  return found
}

/**
 * What an engine's loader asks for when it names the compressed file itself (`game.wasm.br`): it leaves the unpacking to
 * the browser, which needs the encoding, and the type of what is inside. An archive stays what it is.
 */
export function compressedByName(name: string): { readonly inner: string; readonly encoding: string } | undefined {
  const encoding = ENCODINGS.find(({ extension }) => name.toLowerCase().endsWith(extension))
  const inner = name.slice(0, -(encoding?.extension.length ?? 0))
  if (encoding === undefined || !/.\.(?!tar$)\w+$/i.test(inner) || isHtml(inner)) return undefined
  return { inner, encoding: encoding.name }
}

/** Whether an Accept-Encoding header takes a coding. */
export function acceptsEncoding(header: string | undefined, name: string): boolean {
  const weights = new Map<string, number>()
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2)
    weights.set(coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get(name) ?? weights.get('*') ?? 0) > 0
}
