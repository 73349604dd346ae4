import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { createLocalSidecar, inDashboard, type Dashboard } from './support/dashboard.js'

/** The arguments into which a shell splits a command line. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

const NO_DIALOG = `document.querySelector('dialog[open]') === null`

/** Opens a tab of the details, and waits until it shows a text. */
async function seeTab({ run, until }: Dashboard, tab: string, text: string): Promise<void> {
  await run(`document.querySelector('[data-tab=${tab}]').click()`)
  await until(`document.querySelector('.timeline-view').innerText.includes(${JSON.stringify(text)})`)
}

inDashboard((open) => {
  test('a page that is opened after a call never shows “No call yet”', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/nowhere')
    await dashboard.page.evaluateOnNewDocument(`
      new MutationObserver(() => (window.wasEmpty ||= document.querySelector('.timeline-empty') !== null))
        .observe(document, { childList: true, subtree: true })`)
    await dashboard.page.reload()
    await dashboard.says('Timeline', 'POST /nowhere')
    expect(await dashboard.run('window.wasEmpty')).toBe(false)
  })

  test('beats are shown at once, the times of the rows never increase downwards, and j focuses a row in the same frame', async () => {
    const dashboard = await open()
    for (const isBeat of [true, false, true, false]) {
      await (isBeat ? dashboard.call('POST', '/health', {}) : dashboard.call('GET', '/gameserver'))
    }
    await dashboard.says('Health', /of 600 s.*misses 0 of 3/s)
    await dashboard.says('Timeline', /getGameServer[^]*×2/)
    const times: string[] = await dashboard.run(
      `[...document.querySelectorAll('.timeline-time')].map((time) => time.textContent)`,
    )
    expect(times.length).toBeGreaterThanOrEqual(2)
    expect(times).toEqual([...times].sort().reverse())
    const focused = await dashboard.run(`(() => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
      return document.activeElement === document.querySelector('.timeline-row')
    })()`)
    expect(focused).toBe(true)
  })

  test('a call that production would refuse has the mark prod', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/health', {})
    await dashboard.call('POST', '/health')
    await dashboard.until(`[...document.querySelectorAll('.timeline-row .chip')].length === 1`)
    await dashboard.says('Timeline', /POST \/health[^]*prod/)
  })

  test('/ focuses the filter, which keeps the focus when no row is left; Enter moves to a row, and R sends its call again', async () => {
    const dashboard = await open()
    await dashboard.call('PATCH', '/v1beta1/counters/rooms', { countDiff: '1' })
    await dashboard.call('POST', '/nowhere')
    await dashboard.says('Timeline', 'POST /nowhere')
    await dashboard.press('j', '/')
    await dashboard.page.keyboard.type('kind:call updateCounter')
    await dashboard.says('Timeline', /^(?!.*nowhere)[^]*updateCounter rooms \+1/s)
    await dashboard.press('x')
    await dashboard.says('Timeline', /0 of \d+/)
    await dashboard.press('Backspace')
    await dashboard.says('Timeline', 'updateCounter')
    await dashboard.press('Enter', 'R')
    await dashboard.until(`document.querySelectorAll('.timeline-row').length === 2`)
  })

  test('c copies a failing call as a curl command that a shell reads unchanged, whatever characters a name has', async () => {
    const dashboard = await open()
    const value = `it's $(touch x) "quoted" \`id\` \\ -- @file \u001b[31m \n # é`
    const path = `/v1beta1/lists/${encodeURIComponent("no'list;$x")}:addValue`
    expect(await dashboard.call('POST', path, { value })).toBe(500)
    await dashboard.says('Timeline', '500')
    await dashboard.press('j', 'c')
    await dashboard.says('Told', 'Copied as curl')
    const command = await dashboard.run<string>('navigator.clipboard.readText()')
    expect(command).not.toMatch(/[\x00-\x1f\x7f]/)
    const words = wordsOf(command)
    expect(words.slice(0, 4)).toEqual(['-sS', '--globoff', '-X', 'POST'])
    expect(words.at(-1)).toBe(dashboard.local.url + path)
    expect(JSON.parse(words[words.indexOf('--data-raw') + 1]!)).toEqual({ value })
  })

  test('w drops the watch, 5 fails the next five calls, and 0 ends all faults', async () => {
    const dashboard = await open()
    const url = `${dashboard.local.url.replace('http', 'ws')}/watch/gameserver`
    const watch = new WebSocket(url)
    const closed = new Promise((resolve) => watch.once('close', resolve))
    await dashboard.says('Timeline', 'watch #1 opened')
    await dashboard.press('w')
    await closed
    const again = new WebSocket(url)
    onTestFinished(() => again.terminate())
    await dashboard.says('Timeline', 'watch #2 opened')
    await dashboard.press('5')
    await dashboard.until(`document.querySelector('.banner')?.innerText.includes('the next 5 of all calls with 503')`)
    expect(dashboard.local.sidecar.snapshot().faults.failures).toMatchObject([{ status: 503 }])
    await dashboard.press('0')
    await dashboard.until(`document.querySelector('.banner') === null`)
    expect(dashboard.local.sidecar.snapshot().faults.failures).toEqual([])
  })

  test('single keys do nothing in a text field, and nothing anywhere once they are switched off', async () => {
    const dashboard = await open()
    await dashboard.press('/')
    await dashboard.page.keyboard.type('usa05w')
    expect(await dashboard.run(NO_DIALOG)).toBe(true)
    await dashboard.press('Escape', '?')
    await dashboard.page.click('dialog [type=checkbox]')
    await dashboard.press('Escape', 'u', 'a', 's')
    expect(await dashboard.run(NO_DIALOG)).toBe(true)
    expect(dashboard.local.sidecar.snapshot().gameServer.status.state).toBe('Scheduled')
    await (await dashboard.button('Lifecycle', 'Unhealthy')).click()
    await dashboard.press('Enter')
    await dashboard.until(`document.title.startsWith('▲ Unhealthy')`)
  })

  test('Space pauses the timeline, and Space again shows all that came meanwhile', async () => {
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

  test('on a touch screen rows are 44 pixels high, and new rows don’t move the rows in view', async () => {
    const dashboard = await open({ width: 390, touch: true })
    const setLabel = (value: number): unknown =>
      dashboard.local.control({ type: 'setLabel', key: 'a', value: String(value) })
    for (let i = 0; i < 120; i++) setLabel(i)
    await dashboard.says('Timeline', 'a=119')
    const heights = await dashboard.run<number[]>(`(() => {
      const list = document.querySelector('.timeline-list')
      return [list.querySelector('.timeline-row').offsetHeight, list.offsetHeight / list.firstElementChild.ariaSetSize]
    })()`)
    expect(heights).toEqual([44, 44])
    const atTop = (position: number, size: string): Promise<void> =>
      dashboard.until(`(() => {
        const box = document.querySelector('.timeline-box')
        const { left, top } = box.getBoundingClientRect()
        const row = document.elementFromPoint(left + 30, top + 22)?.closest('li')
        return row?.ariaPosInSet === '${position}' && ${size}
      })()`)
    await dashboard.run(`document.querySelector('.timeline-box').scrollTop = 60 * 44`)
    await atTop(61, 'true')
    setLabel(120)
    setLabel(121)
    await atTop(63, `row.ariaSetSize >= '122'`)
  })

  test('the tabs of a call show its request, answer, entry, reason and change', async () => {
    const dashboard = await open()
    await dashboard.call('PATCH', '/v1beta1/counters/rooms', { count: '11' })
    dashboard.local.control({ type: 'setLabel', key: 'note', value: 'later' })
    await dashboard.says('Timeline', 'note=later')
    await dashboard.press('/')
    await dashboard.page.keyboard.type('updateCounter')
    await dashboard.says('Timeline', /^(?!.*note)/s)
    await dashboard.press('Enter', 'Enter')
    await seeTab(dashboard, 'request', '"count": "11"')
    await seeTab(dashboard, 'response', 'HTTP 500')
    await seeTab(dashboard, 'raw', '"operation": "updateCounter"')
    await seeTab(dashboard, 'why', 'Found Count: 11, Capacity: 10.')
    await dashboard.press('/')
    await dashboard.run(`document.querySelector('#filter').select()`)
    await dashboard.page.keyboard.type('note')
    await dashboard.press('Enter', 'Enter')
    await seeTab(dashboard, 'diff', 'metadata.labels[note]')
  })

  test('e copies what passes the filter, a line each', async () => {
    const dashboard = await open()
    await dashboard.call('PATCH', '/v1beta1/counters/rooms', { count: '11' })
    await dashboard.call('POST', '/nowhere')
    await dashboard.says('Timeline', 'POST /nowhere')
    await dashboard.press('e')
    await dashboard.says('Told', 'Copied 2 lines')
    const lines = (await dashboard.run<string>('navigator.clipboard.readText()')).split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} {2}call {5}updateCounter {2}rooms .* {2}500 {2}.*Found Count: 11/),
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} {2}refused {2}POST \/nowhere {2}.*404/),
    ])
  })

  test('the page waits for a sidecar that stopped, and shows its successor from the successor’s first entry', async () => {
    const dashboard = await open()
    await dashboard.call('POST', '/nowhere')
    await dashboard.says('Timeline', 'POST /nowhere')
    const { port } = dashboard.local
    await dashboard.local.close()
    await dashboard.until(`document.querySelector('.banner')?.innerText.includes('Sidecar gone')`)
    const gameServer = { metadata: { name: 'next' } }
    await using next = await createLocalSidecar({ port, gameServer, onWarning: () => {} })
    expect(next.port).toBe(port)
    await dashboard.until(`document.querySelector('.header-facts b')?.innerText === 'next'`)
    await dashboard.until(`!document.querySelector('[aria-label=Timeline]').innerText.includes('/nowhere')`)
  })

  test('a page of an older version reloads when the sidecar is back', async () => {
    const dashboard = await open()
    await dashboard.run(`document.querySelector('meta[name=page-id]').content = 'older'; window.isOld = true`)
    const { port } = dashboard.local
    await dashboard.local.close()
    await using _next = await createLocalSidecar({ port, onWarning: () => {} })
    await dashboard.until(`window.isOld === undefined`)
  })
})
