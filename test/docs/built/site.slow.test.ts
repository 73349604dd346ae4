import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite } from '../../../docs/site/build.mjs'

interface PageFile {
  readonly html: string
  readonly ids: ReadonlySet<string>
}

let out: string
let paths: readonly string[]
const missing: string[] = []
const files = new Map<string, PageFile>()

const fileOf = (path: string): string => readFileSync(join(out, path), 'utf8')
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found!)

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'gameserver-site-'))
  paths = (await buildSite({ out, onMissing: (sentence) => missing.push(sentence) })).pages
  for (const path of paths) {
    const html = fileOf(`${path}.html`)
    files.set(`${path}.html`, { html, ids: new Set(all(html, / id="([^"]+)"/g)) })
  }
})
afterAll(() => rm(out, { recursive: true, force: true }))

/** The matches of a pattern in every page, each with its page. */
const named = (pattern: RegExp): [page: string, address: string][] =>
  [...files].flatMap(([page, { html }]) => all(html, pattern).map((address): [string, string] => [page, address]))

test('every page that the navigation names exists', () => {
  expect(missing).toEqual([])
})

test('every link inside the site leads to a page and a heading that exist', () => {
  const dead = named(/<a [^>]*?href="([^"]+)"/g).filter(([page, href]) => {
    if (/^[a-z]+:/i.test(href)) return false
    const [file, anchor] = href.split('#') as [string, string?]
    const target = file ? join(dirname(page), file) : page
    return anchor ? !files.get(target)?.ids.has(decodeURIComponent(anchor)) : !existsSync(join(out, target))
  })
  expect(dead).toEqual([])
})

test('pages load nothing but files of the site, by relative addresses', () => {
  const loaded = [
    ...named(/<(?:script|img|source|iframe|video)\b[^>]*? src="([^"]+)"/g),
    ...named(/<link rel="(?:stylesheet|alternate)"[^>]*? href="([^"]+)"/g),
  ]
  expect(loaded.length).toBeGreaterThan(paths.length)
  const wrong = loaded.filter(
    ([page, address]) => /^([a-z]+:|\/)/i.test(address) || !existsSync(join(out, dirname(page), address)),
  )
  expect(wrong).toEqual([])
  expect(fileOf('assets/style.css')).not.toMatch(/@import|url\((?!"data:)/)
  expect(named(/<script[^>]* type="(module)"/g)).toEqual([])
})

test('each page has one first heading, a description, and its Markdown beside it without links into the repository', () => {
  for (const [page, { html }] of files) {
    expect(all(html, /<(h1)\b/g), page).toHaveLength(1)
    expect(all(html, /<meta name="description" content="([^"]+)"/g), page).toHaveLength(1)
    const markdown = fileOf(page.replace(/html$/, 'md')).replace(/^```[^]*?^```|`[^`\n]+`/gm, '')
    for (const [, target] of markdown.matchAll(/\]\(([^)#:\s]+\.md)[)#]/g))
      expect(existsSync(join(out, dirname(page), target!)), `${page}: ${target}`).toBe(true)
  }
})

test('the texts of the search hold options, errors, events and flags, each with a heading that exists', () => {
  const { siteTexts } = runInNewContext(`${fileOf('assets/search.js')}; globalThis`) as {
    siteTexts: { at: string; text: string; heading: string }[]
  }
  for (const word of [
    'stallTimeout',
    'UNKNOWN_OUTCOME',
    'allocated',
    '--allow-origin',
    'terminationGracePeriodSeconds',
    'trackPlayers',
  ])
    expect(
      siteTexts.some(({ text, heading }) => `${heading} ${text}`.includes(word)),
      word,
    ).toBe(true)
  for (const { at } of siteTexts) {
    const [file, id] = at.split('#') as [string, string]
    expect(files.get(file)?.ids.has(id), at).toBe(true)
  }
})

test('the front page, its style, script and pictures are 150 kB at most', () => {
  const loaded = all(
    files.get('index.html')!.html,
    /<(?:script|img|link rel="stylesheet")\b[^>]*? (?:src|href)="([^"]+)"/g,
  )
  const bytes = ['index.html', ...new Set(loaded)].map((file) => gzipSync(readFileSync(join(out, file))).length)
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(150_000)
})

test('llms.txt names every page but the front page and the index, with a sentence', () => {
  const listed = [...fileOf('llms.txt').matchAll(/^- \[.+\]\((.+)\.md\): .+$/gm)].map(([, path]) => path!)
  expect(listed.sort()).toEqual(paths.filter((path) => path !== 'index' && path !== 'docs').sort())
  expect(readdirSync(out)).toContain('llms.txt')
})
