import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildPlayground } from '../../docs/site/playground/build.mjs'
import { expectAccessible } from './support/axe.js'
import { steer } from './support/dashboard.js'
import { inChromium } from './support/each-browser.js'
import { listenHere } from '../support/listen.js'

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docs</title>
<meta name="viewport" content="width=device-width"><style>:root { color-scheme: light dark }</style>
<link rel="stylesheet" href="playground.css"></head>
<body><main><h1>Docs</h1><div id="here"></div></main><script src="playground.js"></script>
<script>GameServerPlayground.mount(document.querySelector('#here'))</script></body></html>`

interface Playground {
  readonly page: Page
  /** Presses a button of the page or of a region. */
  press(name: string, region?: string): Promise<void>
  /** Replaces the code and runs it. */
  run(code: string): Promise<void>
  /** Waits until a region's text matches a pattern. */
  says(region: string, pattern: RegExp): Promise<void>
}

const CLIENT = `import { createClient } from 'gameserver-sidecar'\n`

inChromium((browser) => {
  let folder: string
  let address: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gameserver-playground-'))
    await buildPlayground(folder)
    writeFileSync(join(folder, 'index.html'), PAGE)
    address = pathToFileURL(join(folder, 'index.html')).href
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function open(hash = '', at = address, refused?: string): Promise<Playground> {
    const { page } = await browser.open('about:blank')
    const problems: string[] = []
    page.on('request', (request) => {
      const url = request.url()
      // The driver also reports what the browser refuses to send.
      if (!/^(file|blob|data):/.test(url) && !url.startsWith(at) && !(refused && url.startsWith(refused)))
        problems.push(url)
    })
    onTestFinished(() => expect(problems, 'requests that leave the page').toEqual([]))
    await page.setViewport({ width: 1280, height: 900 })
    await page.bringToFront()
    await page.goto(at + hash)
    const press = async (name: string, region?: string): Promise<void> => {
      const within = region === undefined ? '' : `[aria-label="${region}"] `
      const button = await page.waitForSelector(`${within}::-p-aria([name="${name}"][role="button"])`)
      await button!.evaluate((element) => (element as HTMLElement).click())
    }
    const { says } = steer(page)
    return {
      page,
      press,
      says,
      async run(code) {
        await page.$eval(
          'textarea[aria-label="JavaScript"]',
          (field, text) => {
            field.value = text
            field.dispatchEvent(new Event('input', { bubbles: true }))
          },
          code,
        )
        await press('Run')
      },
    }
  }

  test('Run makes the GameServer Ready, Allocate runs the handler of the code, and a second Run starts afresh', async () => {
    const { press, says } = await open()
    await says('Dashboard', /Scheduled/)
    await press('Run')
    await says('Timeline', /RequestReady → ● Ready/)
    await press('Allocate', 'Dashboard')
    await press('Allocate', 'Allocate')
    await says('Output', /Allocated: the match begins/)
    await says('Dashboard', /Sidecar\s+◆ Allocated/)
    await press('Run')
    await says('Output', /^Output\s+Clear\s+state: none(?!.*the match begins)[^]*→ Ready/)
  })

  test('the page stops a loop that never ends, shows what the code wrote before it, and the next Run works', async () => {
    const { page, press, run, says } = await open()
    await run(`console.log('before')\nfor (;;);`)
    await says('Output', /before\s+Stopped: the code gave no sign of life for 2 s/)
    await run('for (;;) await null')
    await says('Output', /Stopped: the code gave no sign of life/)
    await page.select('select[aria-label="Example"]', 'Ready, then allocated')
    await press('Run')
    await says('Dashboard', /Sidecar\s+● Ready/)
  })

  test('Output shows each error of the code with its line, from wherever the code throws', async () => {
    const { run, says } = await open()
    for (const [code, told] of [
      [`\nthrow new TypeError('boom')`, /TypeError: boom \(line 2\)/],
      [`setTimeout(() => {\n\n  throw new Error('late')\n}, 10)`, /Error: late \(line 3\)/],
      [`\n\n\nPromise.reject(new Error('lost'))`, /Error: lost \(line 4\)/],
      [`${CLIENT}createClient().on('state', () => {\n  throw new Error('heard')\n})`, /Error: heard \(line 3\)/],
      [`const a = 1\nconst b = ;`, /SyntaxError: .*\(line 2\)/],
      [`import x from 'left-pad'`, /There is no "left-pad" here/],
      [`${CLIENT}createClient({ autoHealt: true })`, /SidecarError CONFIG: .*autoHealth.*\(line 2\)/],
      [`${CLIENT}await createClient().updateCounter('rooms', { countDiff: 9 })`, /OUT_OF_RANGE/],
    ] as const) {
      await run(code)
      await says('Output', told)
    }
  })

  test('Copy link puts the code into the address, and a page at that address shows the code and runs nothing', async () => {
    const { page, run, press, says } = await open()
    await run(`console.log('✓ kept', 1 < 2)`)
    await press('Copy link')
    await says('Output', /A link to this code|The address of this page/)
    const { hash } = new URL(page.url())
    expect(hash).toMatch(/^#code=[\w-]+$/)
    const other = await open(hash)
    await other.page.waitForFunction(() => document.querySelector('textarea')!.value.includes('✓ kept'))
    await other.says('Output', /^Output\s+Clear\s+A link brought this code, 1 lines\. Read it, then press Run\.\s*$/)
    await other.press('Run')
    await other.says('Output', /✓ kept true/)
  })

  test.each(['a server', 'a disk'])(
    'code of a page from %s has no origin, storage, network, foreign script or worker',
    async (from) => {
      const asked: string[] = []
      const server = createServer(({ url, headers }, response) => {
        if (url?.startsWith('/secret')) asked.push(`${url} ${headers.cookie}`)
        const file = { '/': 'index.html', '/playground.js': 'playground.js', '/playground.css': 'playground.css' }[url!]
        response.setHeader('access-control-allow-origin', '*')
        response.setHeader(
          'content-type',
          { js: 'text/javascript', css: 'text/css' }[url!.split('.')[1]!] ?? 'text/html',
        )
        response.end(file ? readFileSync(join(folder, file)) : 'self.secret = 1')
      })
      const origin = `http://127.0.0.1:${await listenHere(server)}`
      const { run, says } = await open('', from === 'a server' ? `${origin}/` : address, origin)
      await run(`const tries = {
        fetch: () => fetch('${origin}/secret'),
        script: () => importScripts('${origin}/secret.js'),
        module: () => import('${origin}/secret.mjs'),
        blob: () => importScripts(URL.createObjectURL(new Blob(['self.secret = 1']))),
        socket: () => new Promise((done, fail) => Object.assign(new WebSocket('${origin.replace('http', 'ws')}/secret'), { onopen: done, onerror: fail, onclose: fail })),
        events: () => new Promise((done, fail) => Object.assign(new EventSource('${origin}/secret'), { onopen: done, onerror: fail })),
        worker: () => new Worker(URL.createObjectURL(new Blob(['for (;;);']))),
        storage: () => new Promise((done, fail) => Object.assign(indexedDB.open('site'), { onsuccess: done, onerror: fail })),
        caches: () => caches.open('site'),
      }
      console.log('origin', self.origin)
      for (const [name, attempt] of Object.entries(tries))
        console.log(name, await (async () => attempt())().then(() => 'is possible', () => 'is refused'))
      console.log('done', self.secret)`)
      await says('Output', /done undefined/)
      await says('Output', /origin null(\s+\w+ is refused){9}\s+done/)
      expect(asked).toEqual([])
    },
  )

  test('the page stops code that floods it with messages or watches, and the next Run works', async () => {
    const { run, says } = await open()
    const capture = `const { postMessage } = MessagePort.prototype
      let port
      MessagePort.prototype.postMessage = function (...given) { port ??= this; return postMessage.apply(this, given) }
      console.log('captured')`
    await run(`${capture}\nsetInterval(() => { for (let n = 0; n < 100; n++) port.postMessage({ type: 'pong' }) }, 10)`)
    await says('Output', /Stopped: the code sends more than 2000 messages a second/)
    await run(`${capture}\nfor (;;) port.postMessage({ type: 'line', level: 'log', text: 'x'.repeat(1e5) })`)
    await says('Output', /Stopped: the code sends more than 2000 messages a second/)
    await run(`${CLIENT}setInterval(() => createClient().on('state', () => {}), 10)`)
    await says('Output', /Stopped: the code has 100 open watches/)
    await run(`console.log('alive')`)
    await says('Output', /alive/)
  })

  test('a link with damaged, empty or too long code opens the first example with a notice', async () => {
    const damaged = [
      '#code=%%%',
      `#code=${pack(Buffer.from([0xff, 0xfe]))}`,
      `#code=${pack('x'.repeat(1e7))}`,
      '#code=',
    ]
    const { page, run, says } = await open(damaged[0])
    for (const hash of damaged) {
      await page.evaluate((next) => (location.hash = next), hash)
      await says('Output', /The code in the link is damaged/)
      expect(await page.$eval('textarea', (field) => field.value), hash).toContain('client.ready()')
      await run('')
      await says('Output', /^Output\s+Clear\s*$/)
    }
  })

  test('axe finds nothing, wide and narrow, light and dark, before and after a run, and a phone scrolls one way only', async () => {
    const { page, run, says } = await open()
    const check = async (when: string): Promise<void> => {
      for (const width of [1280, 390]) {
        await page.setViewport({ width, height: 900 })
        await expectAccessible(page, `${when}, at ${width}`)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      }
    }
    await says('Dashboard', /Scheduled/)
    await check('before a run')
    await run(`${CLIENT}console.warn('careful')\nawait createClient().ready()\nthrow new Error('boom')`)
    await says('Output', /boom/)
    await check('after a run')
  })
})

function pack(code: string | Buffer): string {
  return deflateRawSync(code).toString('base64url')
}
