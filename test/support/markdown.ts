import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { read, root } from './source.js'

/** The pages that a reader of the package gets. */
export const pages: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name).replaceAll('\\', '/'))
    .sort(),
]

export interface Snippet {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
}

/** The fenced code blocks of a page. */
export function snippetsOf(page: string): Snippet[] {
  const text = read(page)
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language, 2: code }) => ({
    page,
    line: text.slice(0, index).split('\n').length + 1,
    language: language!,
    code: code!,
  }))
}

/** A page without its code blocks. */
export const proseOf = (page: string): string => read(page).replace(/^```[\s\S]*?^```$/gm, '')

/** The texts of a page's headings. */
export const headingsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, text]) => text!)

/** The first cells of all tables under one heading, code marks taken off; of a whole page without a heading. */
export function firstCells(page: string, heading?: string): string[] {
  const sections = proseOf(page).split(/^(?=#+ )/m)
  const wanted = sections.filter((section) => heading === undefined || section.match(/^#+ (.+)$/m)?.[1] === heading)
  return wanted.flatMap((section) =>
    [...section.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
    ),
  )
}
