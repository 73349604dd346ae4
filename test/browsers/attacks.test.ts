import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { expectServing, targets, type Victim } from '../attacks/support/targets.js'
import { root } from '../support/source.js'
import { startAttacker, startNaiveServer, type SeenRequest } from './support/attacker.js'
import { inEachBrowser, type OpenPage, type TestBrowser } from './support/each-browser.js'

const pageFile = join(root, 'test/browsers/pages/barrage.html')

interface Place {
  readonly name: string
  /** The address of the page, given the port of the attacker's server. */
  url(port: number): string
  /** The function that the page calls. */
  readonly call?: string
  /** The page's own server, whose redirects the page can use. */
  own?(port: number): string
}

const places: readonly Place[] = [
  {
    name: 'another port of the same host',
    url: (port) => `http://127.0.0.1:${port}/barrage.html`,
    own: (port) => `http://127.0.0.1:${port}`,
  },
  {
    name: 'another name of this machine',
    url: (port) => `http://localhost:${port}/barrage.html`,
    own: (port) => `http://localhost:${port}`,
  },
  { name: 'a file', url: () => pathToFileURL(pageFile).href },
  { name: 'a sandbox', url: (port) => `http://127.0.0.1:${port}/barrage.html`, call: 'barrageFromSandbox' },
]

/** The naive server must have got these, or the test proves nothing: each kind of write that needs no preflight. */
const CERTAIN = [
  'fetch-no-cors-text',
  'fetch-cors-text',
  'fetch-keepalive',
  'xhr',
  'image',
  'script',
  'stylesheet',
  'iframe',
  'eventsource',
  'websocket',
  'websocket-post',
  'form-text/plain',
  'form-multipart/form-data',
]

const nameOf = ({ target }: SeenRequest): string =>
  decodeURIComponent(target.split('?')[1]?.replace(/&method=POST|=$/, '') ?? '')

const DEPARTURES = ['location', 'link', 'refresh', 'form', 'form-get']

/** All that a stranger's page achieves: following a link reaches a path, which the server refuses. */
const HARMLESS = /^refused GET \/(shutdown|favicon\.ico)$/

/** Catches a hang only: each test ends when the browser has sent everything. */
const TIME = 240_000

inEachBrowser((browser) => {
  describe.each(places)('a page of $name', (place) => {
    test(
      'reaches neither server with any request',
      async () => {
        const { victims, naive, addresses } = await startAll()
        const port = await startAttacker()
        const page = await open(browser, place.url(port))
        const own = place.own?.(port)
        const call = (...given: readonly unknown[]): string =>
          `${place.call ?? 'barrage'}(${given.map((value) => JSON.stringify(value)).join()})`
        const named = call([naive.address], { own, names: true })
        await page.run(`Promise.all([${named}, ${call(addresses, { own })}])`)
        const missing = (): string[] => CERTAIN.filter((name) => !naive.seen.some((it) => nameOf(it) === name))
        await expect.poll(missing, { timeout: TIME / 2 }).toEqual([])
        await expectUnreached(victims)
      },
      TIME,
    )
  })

  test(
    'a page whose links and forms navigate to either server changes nothing',
    async () => {
      const { victims, naive, addresses } = await startAll()
      const port = await startAttacker()
      const url = `http://127.0.0.1:${port}/barrage.html`
      const page = await open(browser, url)
      for (const way of DEPARTURES) {
        for (const address of [...addresses, `${naive.address}/${way}`]) {
          await page.page.goto(url)
          // A page that navigates may not get to answer.
          await page.run(`depart(${JSON.stringify(way)}, ${JSON.stringify(address)})`).catch(() => undefined)
          if (addresses.includes(address)) await untilAt(page, address)
        }
        await naive.saw(({ target }) => target.startsWith(`/shutdown/${way}`))
      }
      await expectUnreached(victims, HARMLESS)
    },
    TIME,
  )

  test(
    'a page whose policy reports to either server changes nothing',
    async () => {
      const { victims, naive, addresses } = await startAll()
      const port = await startAttacker()
      for (const address of [...addresses, naive.address]) {
        await open(browser, `http://127.0.0.1:${port}/report?to=${encodeURIComponent(address)}`)
      }
      await naive.saw(({ method }) => method === 'POST')
      await expectUnreached(victims)
    },
    TIME,
  )
})

/** Starts both servers, and a naive one that accepts everything and records what it got. */
async function startAll() {
  const victims = await Promise.all(targets.map(({ start }) => start()))
  const naive = await startNaiveServer()
  const addresses = victims.map(({ port, at }) => `http://127.0.0.1:${port}${at('/shutdown')}`)
  return { victims, addresses, naive: { ...naive, address: `http://127.0.0.1:${naive.port}/shutdown` } }
}

async function expectUnreached(victims: readonly Victim[], harmless = /^$/): Promise<void> {
  for (const victim of victims) {
    expect(victim.reached().filter((event) => !harmless.test(event))).toEqual([])
    await expectServing(victim)
  }
}

/** Resolves once a page is at an address, whatever the answer was. */
async function untilAt(page: OpenPage, address: string): Promise<void> {
  const isThere = `location.href.startsWith(${JSON.stringify(address)})`
  while (!(await page.run<boolean>(isThere).catch(() => false))) await new Promise((done) => setTimeout(done, 50))
}

/** Opens a page and ignores its uncaught errors: its scripts fail in many ways when everything is refused. */
async function open(browser: TestBrowser, url: string): Promise<OpenPage> {
  const page = await browser.open(url)
  page.uncaught.length = 0
  Object.defineProperty(page.uncaught, 'push', { value: () => 0 })
  return page
}
