import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { createLocalSidecar } from '../../src/node/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { inDashboard, type Dashboard } from './support/dashboard.js'

const clipboard = ({ run }: Dashboard): Promise<string> => run('navigator.clipboard.readText()')

/** The words that a shell makes of a command line. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

inDashboard((open) => {
  test('whether the game beats is seen without a key', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/health', {})
    await dashboard.says('Health', /of 600 s.*misses 0 of 3/s)
    await dashboard.says('Timeline', 'health')
  })

  test('a page that is opened late never says that there was no call', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/ready', {})
    await dashboard.page.evaluateOnNewDocument(`new MutationObserver(() => {
      window.wasEmpty ||= document.querySelector('.timeline-empty') !== null
    }).observe(document, { childList: true, subtree: true })`)
    await dashboard.page.reload()
    await dashboard.says('Timeline', 'ready')
    expect(await dashboard.run('window.wasEmpty')).toBe(false)
  })

  test('a key that is pressed before the page is drawn does its work once it is', async () => {
    const dashboard = await open()
    await dashboard.page.evaluateOnNewDocument(`addEventListener('DOMContentLoaded', () => {
      for (const key of ['r', 'm', 's']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })`)
    await dashboard.page.reload()
    await dashboard.until(`document.querySelector('#more:popover-open') !== null`)
    await dashboard.until(`document.title.includes('Ready')`)
    expect(await dashboard.run(`document.querySelector('dialog[open]') === null`)).toBe(true)
  })

  test('the times of the rows never increase downwards, also beside beats that go on', async () => {
    const dashboard = await open()
    for (const isBeat of [true, false, true, false]) {
      await (isBeat ? dashboard.call('POST', '/health', {}) : dashboard.call('GET', '/gameserver'))
    }
    await dashboard.says('Timeline', /getGameServer[^]*×2/)
    const times: string[] = await dashboard.run(
      `[...document.querySelectorAll('.timeline-time')].map((time) => time.textContent)`,
    )
    expect(times).toEqual([...times].sort().reverse())
  })

  test.each([320, 390])('at %i pixels the header is as high for every state and age', async (width) => {
    const dashboard = await open({ width, touch: true })
    const heights: number[] = await dashboard.run(`(() => {
      const part = (name) => document.querySelector('.header-state ' + name)
      return ['4 s', '2 m 56 s', '47 h 59 m'].flatMap((age) => ['Ready', 'RequestReady', 'Unhealthy'].map((state) => {
        part('.header-age').textContent = age
        part('.state-mark').lastChild.textContent = state
        return document.querySelector('.header').offsetHeight
      }))
    })()`)
    expect(new Set(heights).size).toBe(1)
  })

  test('a row where production differs has a mark, and the file of a recording is named', async () => {
    const file = join(await temporaryFolder('gameserver-page'), 'match.ndjson')
    const dashboard = await open({ local: { record: file } })
    await dashboard.until(`document.querySelector('footer').innerText.includes(${JSON.stringify(`recording ${file}`)})`)
    await dashboard.call('POST', '/health', {})
    await dashboard.call('POST', '/health')
    await dashboard.until(`[...document.querySelectorAll('.timeline-row .timeline-chip')].length === 1`)
    await dashboard.says('Timeline', /POST \/health[^]*prod/)
  })

  test('j and Enter show what an allocation changed', async () => {
    const dashboard = await open()
    dashboard.local.control({ type: 'setState', state: 'Ready' })
    dashboard.local.control({ type: 'allocate', labels: { mode: 'dm' } })
    await dashboard.says('Timeline', 'Allocated')
    await dashboard.press('j', 'Enter')
    await dashboard.says('Diff', /status\.state\s+Ready\s+Allocated/)
    await dashboard.says('Diff', /metadata\.labels\[mode\]\s+dm/)
  })

  test('the row that j leads to has the focus before the next key', async () => {
    const dashboard = await open()
    // Nothing follows from a beat, so no row is still to be drawn.
    await dashboard.call('POST', '/health', {})
    await dashboard.says('Timeline', 'health')
    const focused = await dashboard.run(`(() => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
      return document.activeElement === document.querySelector('.timeline-row')
    })()`)
    expect(focused).toBe(true)
  })

  test('a filter that finds something again keeps the focus', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/ready', {})
    await dashboard.says('Timeline', 'ready')
    await dashboard.press('j', '/')
    await dashboard.page.keyboard.type('x')
    await dashboard.says('Timeline', /0 of \d+/)
    await dashboard.press('Backspace')
    await dashboard.says('Timeline', 'ready')
    await dashboard.press('r')
    expect(await dashboard.run(`document.querySelector('#filter').value`)).toBe('r')
  })

  test('j and c copy a failing call as a command that a shell takes as it is, whatever a name holds', async () => {
    const dashboard = await open()
    const value = `it's $(touch x) "quoted" \`id\` \\ -- @file \u001b[31m \n # é`
    expect(await dashboard.call('POST', `/v1beta1/lists/${encodeURIComponent("no'list;$x")}:addValue`, { value })).toBe(
      500,
    )
    await dashboard.says('Timeline', '500')
    await dashboard.press('j', 'c')
    await dashboard.says('Told', 'Copied as curl')
    const command = await clipboard(dashboard)
    expect(command).not.toMatch(/[\x00-\x1f\x7f]/)
    const words = wordsOf(command)
    expect(words.slice(0, 4)).toEqual(['-sS', '--globoff', '-X', 'POST'])
    expect(words.at(-1)).toBe(`${dashboard.local.url}/v1beta1/lists/${encodeURIComponent("no'list;$x")}:addValue`)
    expect(JSON.parse(words[words.indexOf('--data-raw') + 1]!)).toEqual({ value })
  })

  test('w cuts the watch, and the client that comes back is seen', async () => {
    const dashboard = await open()
    const url = `${dashboard.local.url.replace('http', 'ws')}/watch/gameserver`
    const watch = new WebSocket(url)
    const closed = new Promise((resolve) => watch.once('close', resolve))
    await dashboard.says('Timeline', 'watch #1 opened')
    await dashboard.press('w')
    await closed
    await dashboard.says('Timeline', 'dropWatchers')
    const again = new WebSocket(url)
    onTestFinished(() => again.terminate())
    await dashboard.says('Timeline', 'watch #2 opened')
  })

  test('5 fails a share of the calls with 503 until 0 is pressed', async () => {
    const dashboard = await open()
    await dashboard.press('5')
    await dashboard.until(`document.querySelector('.banner')?.innerText.includes('50 % of all calls with 503')`)
    expect(dashboard.local.sidecar.snapshot().faults.failures).toMatchObject([{ status: 503 }])
    await dashboard.press('0')
    await dashboard.until(`document.querySelector('.banner') === null`)
    expect(dashboard.local.sidecar.snapshot().faults.failures).toEqual([])
  })

  test('a filter is typed after /, and emptied by hand', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/ready', {})
    await dashboard.call('POST', '/nowhere')
    await dashboard.press('/')
    await dashboard.page.keyboard.type('kind:refused status:4')
    await dashboard.says('Timeline', /^(?!.*ready)[^]*POST \/nowhere/s)
    await dashboard.run(`document.querySelector('#filter').select()`)
    await dashboard.press('Backspace')
    await dashboard.says('Timeline', 'ready')
  })

  test('keys do nothing while one types, and nothing at all when they are switched off', async () => {
    const dashboard = await open()
    await dashboard.press('/')
    await dashboard.page.keyboard.type('usa05w')
    expect(await dashboard.run(`document.querySelector('dialog[open]') === null`)).toBe(true)
    await dashboard.press('Escape', '?')
    await dashboard.page.click('.help-choice input')
    await dashboard.press('Escape', 'u', 'a', 's')
    expect(await dashboard.run(`document.querySelector('dialog[open]') === null`)).toBe(true)
    expect(dashboard.local.sidecar.snapshot().gameServer.status.state).toBe('Scheduled')
    await dashboard.page.keyboard.down('Control')
    await dashboard.press('k')
    await dashboard.page.keyboard.up('Control')
    await dashboard.page.keyboard.type('unhealthy')
    await dashboard.press('Enter', 'Enter')
    await dashboard.until(`document.title.startsWith('▲ Unhealthy')`)
  })

  test('s asks before it shuts the game server down', async () => {
    const dashboard = await open()
    await dashboard.press('s')
    expect(dashboard.local.sidecar.snapshot().gameServer.status.state).toBe('Scheduled')
    await dashboard.press('Enter')
    await dashboard.until(`document.title.includes('Shutdown')`)
  })

  test('the strip asks before it ends a game server, and a second click at the same place cancels', async () => {
    const dashboard = await open({ address: '?embed=1' })
    const { x, y } = await (await dashboard.page.waitForSelector('.button-unhealthy'))!.clickablePoint()
    const isAsking = `document.querySelector('.strip-question') !== null`
    await dashboard.page.mouse.click(x, y)
    await dashboard.until(isAsking)
    await dashboard.page.mouse.click(x, y)
    await dashboard.until(`!(${isAsking})`)
    expect(dashboard.local.sidecar.snapshot().gameServer.status.state).toBe('Scheduled')
    await dashboard.page.mouse.click(x, y)
    await dashboard.until(isAsking)
    await dashboard.press('Enter')
    await dashboard.until(`document.title.startsWith('▲ Unhealthy')`)
  })

  test('Space stops the timeline, and nothing is missing when it goes on', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/ready', {})
    await dashboard.says('Timeline', 'ready')
    await dashboard.press(' ')
    await dashboard.call('POST', '/nowhere')
    await dashboard.until(`/Paused,\\s+[1-9]\\d* new/.test(document.querySelector('.banner')?.innerText)`)
    expect(await dashboard.region('Timeline')).not.toContain('/nowhere')
    await dashboard.press(' ')
    await dashboard.says('Timeline', 'POST /nowhere')
  })

  test('a finger gets taller rows, and the list scrolls by their height', async () => {
    const dashboard = await open({ width: 390, touch: true })
    for (let i = 0; i < 120; i++) dashboard.local.control({ type: 'setLabel', key: 'a', value: String(i) })
    await dashboard.says('Timeline', 'a = 119')
    const heights = await dashboard.run<number[]>(`(() => {
      const list = document.querySelector('.timeline-list')
      return [list.querySelector('.timeline-row').offsetHeight, list.offsetHeight / list.firstElementChild.ariaSetSize]
    })()`)
    expect(heights).toEqual([44, 44])
    await dashboard.run(`document.querySelector('.timeline-box').scrollTop = 60 * 44`)
    await dashboard.until(`(() => {
      const box = document.querySelector('.timeline-box')
      const { left, top } = box.getBoundingClientRect()
      return document.elementFromPoint(left + 30, top + 22)?.closest('li')?.ariaPosInSet === '61'
    })()`)
  })

  test('R sends a call again', async () => {
    const dashboard = await open()
    await dashboard.call('PATCH', '/v1beta1/counters/rooms', { countDiff: '1' })
    await dashboard.says('Timeline', 'updateCounter rooms +1')
    await dashboard.press('/')
    await dashboard.page.keyboard.type('op:updateCounter')
    await dashboard.press('Enter', 'R')
    await dashboard.until(`document.querySelectorAll('.timeline-row').length === 2`)
  })

  test('e saves the session, in which a colleague finds every call', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/nowhere')
    await dashboard.says('Timeline', 'POST /nowhere')
    await dashboard.run(`URL.createObjectURL = (blob) => ((window.saved = blob), 'blob:none')`)
    await dashboard.press('e')
    await dashboard.says('Told', 'Exported as lobby.ndjson')
    const lines = (await dashboard.run<string>('window.saved.text()')).trim().split('\n')
    const entries = lines.map((line) => JSON.parse(line) as { type: string; entry?: { event: { path?: string } } })
    expect(entries.some(({ entry }) => entry?.event.path === '/nowhere')).toBe(true)
  })

  test('a change of the state is told after what a key came to, not instead of it', async () => {
    const dashboard = await open()
    await dashboard.run(`URL.createObjectURL = () => 'blob:none'`)
    await dashboard.press('t')
    await dashboard.says('Told', '10 s later')
    await dashboard.run(`new Promise((resolve) => {
      URL.createObjectURL = () => (setTimeout(resolve), 'blob:none')
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'e', bubbles: true }))
    })`)
    dashboard.local.control({ type: 'setState', state: 'Allocated' })
    await dashboard.says('Told', 'Exported as lobby.ndjson')
    await dashboard.says('Told', 'State: Allocated')
  })

  test('E saves the session as a page that opens from a disk, shows it, and asks nobody for anything', async () => {
    const markup = '</script><script>document.title=`run`</script><!--'
    const dashboard = await open()
    await dashboard.call('PATCH', '/v1beta1/counters/rooms', { count: '11' })
    await dashboard.call('POST', '/ready', {})
    // A write that comes late would take the place of the allocation's.
    await dashboard.until(String.raw`/\bReady/.test(document.title)`)
    dashboard.local.control({ type: 'allocate', force: true, labels: { mode: 'dm' } })
    dashboard.local.control({ type: 'setLabel', key: 'note', value: markup })
    await dashboard.says('Timeline', markup)
    await dashboard.run(`URL.createObjectURL = (blob) => ((window.saved = blob), 'blob:none')`)
    await dashboard.press('E')
    await dashboard.until('window.saved')
    const file = join(await temporaryFolder('report'), 'lobby.html')
    writeFileSync(file, await dashboard.run<string>('window.saved.text()'))

    const asked: string[] = []
    dashboard.page.on('request', (request) => asked.push(request.url().split(':')[0]!))
    dashboard.page.on('console', (message) => asked.push(message.text()))
    await dashboard.page.goto(`${pathToFileURL(file).href}?embed`)
    await dashboard.says('Timeline', 'updateCounter')
    await dashboard.says('GameServer', markup)
    expect(await dashboard.run('document.querySelector("header").innerText')).toMatch(
      /Allocated[^]*recorded session .*20\d\d/,
    )
    await dashboard.press('/')
    await dashboard.page.keyboard.type('op:updateCounter')
    await dashboard.says('Timeline', /^(?!.*mode = dm)/s)
    await dashboard.press('Enter', 'Enter')
    for (const [tab, text] of [
      ['request', '"count": "11"'],
      ['response', 'HTTP 500'],
      ['raw', '"operation": "updateCounter"'],
      ['why', 'count 11 is above the capacity 10.'],
    ] as const) {
      await dashboard.run(`document.querySelector('[data-tab=${tab}]').click()`)
      await dashboard.until(`document.querySelector('.timeline-view').innerText.includes(${JSON.stringify(text)})`)
    }
    await dashboard.press('/')
    await dashboard.run(`document.querySelector('#filter').select()`)
    await dashboard.page.keyboard.type('dm')
    await dashboard.press('Enter', 'Enter')
    await dashboard.run(`document.querySelector('[data-tab=diff]').click()`)
    await dashboard.until(`document.querySelector('.timeline-view').innerText.includes('metadata.labels[mode]')`)
    const buttons = await dashboard.run<string[]>(
      `[...document.querySelectorAll('button:not(.timeline-row)')].map((one) => one.innerText)`,
    )
    expect(buttons.filter((text) => /allocate|ready|more|pause|replay|edit|clear/i.test(text))).toEqual([])
    await dashboard.run(`URL.createObjectURL = (blob) => ((window.saved = blob), 'blob:none')`)
    expect(asked.filter((scheme) => !['file', 'data'].includes(scheme))).toEqual([])
    await dashboard.press('a', 's', 'e')
    await dashboard.until('window.saved')
    expect(await dashboard.run('window.saved.text()')).toMatch(/^{"type":"recording",[^]*"type":"exchange"/)
    expect(await dashboard.run('document.querySelectorAll("dialog").length')).toBe(0)
    expect(await dashboard.run('document.querySelectorAll("script").length + document.title')).toMatch(/^1.*recorded$/)
  })

  test('a sidecar that goes is waited for, and one that takes its place is shown from its beginning', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/ready', {})
    await dashboard.call('POST', '/nowhere')
    await dashboard.says('Timeline', 'POST /nowhere')
    const { port } = dashboard.local
    await dashboard.local.close()
    await dashboard.until(`document.querySelector('.banner')?.innerText.includes('Sidecar gone')`)
    await using next = await createLocalSidecar({
      port,
      gameServer: { metadata: { name: 'next' } },
      onWarning: () => {},
    })
    expect(next.port).toBe(port)
    await dashboard.until(`document.querySelector('.header-facts b')?.innerText === 'next'`)
    await dashboard.until(`!document.querySelector('[aria-label=Timeline]').innerText.includes('/nowhere')`)
  })

  test('a page of another version says so and loads itself again', async () => {
    const dashboard = await open()
    await dashboard.run(`document.querySelector('meta[name=page-id]').content = 'older'; window.isOld = true`)
    const { port } = dashboard.local
    await dashboard.local.close()
    await using _next = await createLocalSidecar({ port, onWarning: () => {} })
    await dashboard.until(`window.isOld === undefined`)
  })
})
