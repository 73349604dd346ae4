import { lookup } from 'mrmime'
import type { SiteEntry, FindInSite } from './site-folder.js'

const UNKNOWN = 'application/octet-stream'

/** Types that replace the library's, which pages can't use. */
const OWN_TYPES: Readonly<Record<string, string>> = {
  cjs: 'text/javascript',
  map: 'application/json',
}

/** Types that every tool writes as UTF-8. XML, SVG and HTML declare their encoding themselves. */
const UTF8 = /^(text\/(?!xml|html)|application\/(json|manifest\+json|ld\+json|toml))/

export function contentType(name: string): string {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const type = OWN_TYPES[extension] ?? (extension === '' ? undefined : lookup(extension)) ?? UNKNOWN
  return UTF8.test(type) ? `${type}; charset=utf-8` : type
}

export const isHtml = (name: string): boolean => /\.html?$/i.test(name)

/** The ways in which builds compress files, the better one first. */
const ENCODINGS = [
  { extension: '.br', encoding: 'br' },
  { extension: '.gz', encoding: 'gzip' },
] as const

/** A name such as `game.wasm.br`, taken apart. */
export interface CompressedName {
  /** The name of the file inside: `game.wasm`. */
  readonly inner: string
  readonly encoding: string
}

/**
 * Reads the name of a compressed file that a page requests by that name, as the loaders of some engines do. The browser
 * unpacks such a file, for which it needs the encoding and the type of the file inside. An archive (`.tar.gz`) stays packed.
 */
export function compressedByName(name: string): CompressedName | undefined {
  const found = ENCODINGS.find(({ extension }) => name.toLowerCase().endsWith(extension))
  const inner = name.slice(0, -(found?.extension.length ?? 0))
  if (found === undefined || !/.\.(?!tar$)\w+$/i.test(inner) || isHtml(inner)) return undefined
  return { inner, encoding: found.encoding }
}

/** A compressed file may be this much older than its original, since a copied build gets its times in any order. */
const STALE_AFTER_MS = 60_000

/** Finds the compressed files beside a file, such as `app.js.br` for `app.js`, without those of an earlier build. */
export async function findCompressed(
  find: FindInSite,
  segments: readonly string[],
  original: SiteEntry | undefined,
): Promise<(SiteEntry & { readonly encoding: string })[]> {
  const oldest = (original?.stat.mtimeMs ?? 0) - STALE_AFTER_MS
  const found = await Promise.all(
    ENCODINGS.map(async ({ extension, encoding }) => {
      const entry = await find([...segments.slice(0, -1), `${segments.at(-1)!}${extension}`])
      return entry?.stat.isFile() === true && entry.stat.mtimeMs >= oldest ? [{ ...entry, encoding }] : []
    }),
  )
  return found.flat()
}

export function acceptsEncoding(header: string | undefined, name: string): boolean {
  const weights = new Map<string, number>()
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2)
    weights.set(coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get(name) ?? weights.get('*') ?? 0) > 0
}
