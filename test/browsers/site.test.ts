import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite } from '../../docs/site/build.mjs'
import { expectAccessible } from './support/axe.js'
import { inChromium } from './support/each-browser.js'
import { servePages } from './support/game.js'

interface PageFile {
  readonly html: string
  readonly ids: ReadonlySet<string>
}

let top: string
let out: string
let paths: readonly string[]
const missing: string[] = []
const files = new Map<string, PageFile>()

const fileOf = (path: string): string => readFileSync(join(out, path), 'utf8')
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found!)

beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'gameserver-site-'))
  out = join(top, 'any/path')
  paths = (await buildSite({ out, onMissing: (sentence) => missing.push(sentence) })).pages
  for (const path of paths) {
    const html = fileOf(`${path}.html`)
    files.set(`${path}.html`, { html, ids: new Set(all(html, / id="([^"]+)"/g)) })
  }
  // TypeDoc reads all types: beside other builds that takes minutes.
}, 900_000)
afterAll(() => rm(top, { recursive: true, force: true }))

const address = (path: string): string => pathToFileURL(join(out, path)).href

inChromium((browser) => {
  test('opened from disk, the key / searches all pages, and Enter follows the first result', async () => {
    const { page } = await browser.open(address('guides/reuse.html'))
    await page.keyboard.press('/')
    await page.waitForSelector('#search[open]')
    await page.keyboard.type('UNKNOWN_OUTCOME')
    await page.waitForFunction(`document.querySelector('#search [role=status]').textContent.includes('result')`)
    const [first] = await page.$$eval('#search li a', (links) => links.map(({ href }) => href))
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.href')).toBe(first)
    await page.keyboard.press('ArrowUp')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    expect(page.url()).toBe(first)
    expect(await page.evaluate('document.body.innerText')).toContain('UNKNOWN_OUTCOME')
  })

  test('below any path of a server, a link leads to the next page', async () => {
    const site = await servePages(top)
    const { page, run } = await browser.open(site.url('any/path/events.html'))
    await Promise.all([page.waitForNavigation(), page.click('.neighbours [rel=next]')])
    expect(await run('location.href')).toMatch(/\/any\/path\/\w+\.html$/)
    expect(await run('getComputedStyle(document.body).display')).toBe('grid')
  })

  test('on a phone no page scrolls sideways, and the menu leads to every page', async () => {
    const { page, run } = await browser.open(address('index.html'))
    await page.setViewport({ width: 390, height: 844 })
    for (const path of ['index', 'host', 'errors', 'deploy', 'api/index', 'api/mock']) {
      await page.goto(address(`${path}.html`))
      expect(await run('document.documentElement.scrollWidth - document.documentElement.clientWidth'), path).toBe(0)
    }
    await page.click('.nav-open')
    await page.waitForSelector('#nav:popover-open')
    await Promise.all([page.waitForNavigation(), page.click('#nav a[href$="events.html"]')])
    expect(await run('document.title')).toMatch(/^Events/)
  })

  test('the playground is loaded when it is opened, and not before, and runs its code, from disk too', async () => {
    const { page, run } = await browser.open(address('index.html'))
    const loaded = `[...document.querySelectorAll('script, link')].filter((one) => /playground\\//.test(one.src ?? one.href)).length`
    expect(await run(loaded)).toBe(0)
    await page.click('.playground-place button')
    await page.waitForSelector('::-p-aria(Run[role="button"])')
    await page.waitForFunction(`getComputedStyle(document.querySelector('.gsp')).display === 'grid'`)
    await run(`document.querySelector('[data-run]').click()`)
    await page.waitForFunction(`document.querySelector('[role=log]').innerText.includes('Ready. Press Allocate')`)
  })

  test.each([1280, 390])('axe finds nothing in either theme, %i pixels wide', async (width) => {
    const { page } = await browser.open(address('index.html'))
    await page.setViewport({ width, height: 844 })
    for (const path of ['index', 'host', 'errors', 'api/players']) {
      await page.goto(address(`${path}.html`))
      await expectAccessible(page, path)
    }
    await page.keyboard.press('/')
    await page.waitForSelector('#search[open]')
    await expectAccessible(page, 'search')
  })
})

/** The matches of a pattern in every page, each with its page. */
const named = (pattern: RegExp): [page: string, address: string][] =>
  [...files].flatMap(([page, { html }]) => all(html, pattern).map((address): [string, string] => [page, address]))

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
