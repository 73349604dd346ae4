import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalSidecar, inDashboard, type Dashboard } from './support/dashboard.js'
import { listenHere } from '../support/listen.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The dark theme differs in its colours alone. */
const themes = [
  ['dark', `{ runOnly: ['color-contrast'] }`],
  ['light', '{}'],
] as const

/** The violations that axe finds in a part of the page, one a line. */
async function violations({ run, page }: Dashboard, part: string, width: number): Promise<string[]> {
  const found: string[] = []
  // Colours don't depend on the width.
  for (const [theme, rules] of width < 820 ? themes.slice(1) : themes) {
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: theme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ])
    const lines = await run<string[]>(`axe.run('${part}', ${rules}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`)
    found.push(...lines.map((line) => `${theme}: ${line}`))
  }
  return found
}

/** Serves a page with an empty frame. Its address has another name of this machine, so the origin is another one. */
async function startPage(): Promise<string> {
  const server = createServer((_, reply) =>
    reply.setHeader('content-type', 'text/html').end('<!doctype html><title>other</title><iframe></iframe>'),
  )
  return `http://localhost:${await listenHere(server)}`
}

inDashboard((open, createContext) => {
  describe.each([1280, 320])('in a page %i pixels wide', (width) => {
    test('axe finds nothing, with details and with each dialog open', async () => {
      const dashboard = await open({ width })
      // The page's policy forbids scripts, so axe comes in through the devtools.
      await dashboard.run(axe)
      const found: string[] = []
      const check = async (when: string, part = 'html'): Promise<void> => {
        found.push(...(await violations(dashboard, part, width)).map((text) => `${when}: ${text}`))
      }
      await check('before a call')
      await dashboard.call('POST', '/ready', {})
      await dashboard.call('POST', '/health', {})
      await dashboard.call('POST', '/nowhere')
      dashboard.local.control({ type: 'failCalls', status: 503 })
      dashboard.local.control({ type: 'setState', state: 'Ready' })
      dashboard.local.control({ type: 'allocate', labels: { mode: 'dm' } })
      await dashboard.says('Timeline', 'Allocated')
      await dashboard.press('j', 'Enter')
      await check('with details')
      for (const pane of width < 820 ? ['State', 'Faults', 'JSON', 'Timeline'] : []) {
        await dashboard.run(
          `[...document.querySelectorAll('.panes .tab')].find((tab) => tab.innerText === '${pane}').click()`,
        )
        await check(pane, 'main')
        expect(await dashboard.run('document.documentElement.scrollWidth'), `width of ${pane}`).toBe(width)
      }
      for (const key of ['a', '?', 's', 'm'] as const) {
        await dashboard.press(key)
        await check(`after ${key}`, key === 'm' ? '#more' : 'dialog')
        await dashboard.press('Escape')
      }
      await dashboard.openPalette()
      await check('with all actions', 'dialog')
      expect(found).toEqual([])
    })
  })

  test.each([1280, 390])(
    'at %i pixels, the first paint has the chosen theme, and its parts stay in place when the page is drawn',
    async (width) => {
      const where = `['.header', '.panes', '.timeline', '.panels', '.status'].map((name) => {
      const { x, y, width, height } = document.querySelector(name).getBoundingClientRect()
      return [name, x, y, width, height].join(' ')
    })`
      const dashboard = await open({ width })
      const page = await (await createContext()).newPage()
      await page.setViewport({ width, height: 800 })
      // Without a WebSocket no state comes, so the first frame stays.
      await page.evaluateOnNewDocument(`WebSocket = class {}; localStorage.setItem('sidecar-theme', 'dark')`)
      await page.goto(dashboard.page.url())
      const painted = `performance.getEntriesByName('first-contentful-paint').length > 0`
      await page.waitForFunction(painted)
      expect(await page.$eval('body', (body) => body.innerText)).toMatch(/connecting…/)
      expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe('rgb(13, 17, 23)')
      expect(await page.evaluate(where)).toEqual(await dashboard.run(where))
    },
  )

  test('markup in labels, values, names and paths is shown as text', async () => {
    const markup = '<img src=x onerror=document.title="run">'
    const dashboard = await open({
      local: {
        gameServer: {
          metadata: { name: 'lobby', labels: { [markup]: markup }, annotations: { [markup]: markup } },
          status: {
            counters: { [markup]: { count: 1, capacity: 2 } },
            lists: { [markup]: { capacity: 2, values: [markup] } },
          },
        },
      },
    })
    await dashboard.call('PUT', '/metadata/annotation', { key: 'a', value: markup })
    await dashboard.call('POST', `/v1beta1/lists/${encodeURIComponent(markup)}:addValue`, { value: `${markup}2` })
    await dashboard.call('GET', `/${encodeURIComponent(markup)}`)
    dashboard.local.control({ type: 'setState', state: markup })
    dashboard.local.control({ type: 'setLabel', key: markup, value: `${markup}3` })
    await dashboard.says('Timeline', `${markup}3`)
    for (const panel of ['Counters', 'Lists', 'Lifecycle']) await dashboard.says(panel, markup)
    await dashboard.press('a')
    await dashboard.says('Allocate', markup)
    await dashboard.press('Escape')
    for (let row = 0; row < 4; row++) {
      await dashboard.press('j', 'Enter')
      for (const tab of ['diff', 'request', 'response', 'raw', 'why']) {
        await dashboard.run(`document.querySelector('[data-tab=${tab}]').click()`)
      }
    }
    expect(await dashboard.run(`document.querySelectorAll('img, i').length`)).toBe(0)
    expect(await dashboard.run(`document.title`)).not.toBe('run')
  })

  test('in a frame of another origin, the dashboard shows nothing, and the strip shows only if the sidecar allows the origin', async () => {
    const page = await (await createContext()).newPage()
    const url = await startPage()
    const closed = await createLocalSidecar({ onWarning: () => {} })
    onTestFinished(() => closed.close())
    const allowing = await createLocalSidecar({ allowOrigins: [url], onWarning: () => {} })
    onTestFinished(() => allowing.close())
    await page.goto(url)
    const shown: string[] = []
    for (const { port } of [closed, allowing]) {
      for (const address of ['', '?embed=1']) {
        await page.evaluate(
          (src) =>
            new Promise((resolve) => {
              const frame = document.querySelector('iframe')!
              frame.addEventListener('load', resolve, { once: true })
              frame.src = src
            }),
          `http://localhost:${port}/_/${address}`,
        )
        const parts = page
          .frames()
          .slice(1)
          .map((frame) => frame.$eval('.header, .strip', (part) => part.classList.item(1)!).catch(() => 'nothing'))
        shown.push(...(await Promise.all(parts)))
      }
    }
    expect(shown).toEqual(['nothing', 'nothing', 'nothing', 'strip'])
  })

  test('the page removes a remote sidecar’s token from the address and keeps it over a reload', async () => {
    const dashboard = await open({ local: { address: '0.0.0.0', allowHosts: ['127.0.0.1'] }, token: true })
    expect(dashboard.page.url()).not.toContain('token')
    await dashboard.page.reload()
    await dashboard.page.waitForSelector('.header-state .state-mark')
    await dashboard.press('r')
    await dashboard.until(`document.title.includes('Ready')`)
  })
})
