import { lookup } from 'mrmime'

const UNKNOWN = 'application/octet-stream'

/** Types of files in builds for which the library names one that a page can't use. */
const OWN_TYPES: Readonly<Record<string, string>> = {
  cjs: 'text/javascript',
  map: 'application/json',
}

/** Types that every tool writes as UTF-8. XML, SVG and HTML name their encoding themselves. */
const UTF8 = /^(text\/(?!xml|html)|application\/(json|manifest\+json|ld\+json|toml))/

/** The Content-Type of a file, by its name. */
export function contentType(name: string): string {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const type = OWN_TYPES[extension] ?? (extension === '' ? undefined : lookup(extension)) ?? UNKNOWN
  return UTF8.test(type) ? `${type}; charset=utf-8` : type
}

export const isHtml = (name: string): boolean => /\.html?$/i.test(name)
