import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectAccessible } from './support/axe.js'
import { createLocalSidecar, inDashboard } from './support/dashboard.js'
import { listenHere } from '../support/listen.js'

/** Serves a page with an empty frame. Its address has another name of this machine, so the origin is another one. */
async function startPage(): Promise<string> {
  const server = createServer((_, reply) =>
    reply.setHeader('content-type', 'text/html').end('<!doctype html><title>other</title><iframe></iframe>'),
  )
  return `http://localhost:${await listenHere(server)}`
}

inDashboard((open, browser) => {
  describe.each([1280, 320])('in a page %i pixels wide', (width) => {
    test('axe finds nothing, with details and with each dialog open', async () => {
      const dashboard = await open({ width })
      const check = (when: string, part?: string): Promise<void> => expectAccessible(dashboard.page, when, part)
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
    })
  })

  test.each([1280, 390])(
    'at %i pixels, the parts of the first paint stay in place when the page is drawn',
    async (width) => {
      const where = `['.header', '.panes', '.timeline', '.panels', '.status'].map((name) => {
      const { x, y, width, height } = document.querySelector(name).getBoundingClientRect()
      return [name, x, y, width, height].join(' ')
    })`
      const dashboard = await open({ width })
      const { page } = await browser.open('about:blank')
      await page.setViewport({ width, height: 800 })
      // Without scripts the first frame stays.
      await page.setJavaScriptEnabled(false)
      await page.goto(dashboard.page.url())
      expect(await page.$eval('body', (body) => body.innerText)).toMatch(/connecting…/)
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

  test('in a frame of another page, even of an allowed origin, the dashboard shows nothing', async () => {
    const url = await startPage()
    const { page } = await browser.open(url)
    const sidecar = await createLocalSidecar({ allowOrigins: [url], onWarning: () => {} })
    onTestFinished(() => sidecar.close())
    await page.evaluate(
      (src) =>
        new Promise((resolve) => {
          const frame = document.querySelector('iframe')!
          frame.addEventListener('load', resolve, { once: true })
          frame.src = src
        }),
      `${sidecar.url}/_/`,
    )
    expect(await page.frames()[1]!.$('.header')).toBeNull()
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
