import { expect, test } from 'vitest'
import type { TestFleetOptions } from '../fleet/support/test-fleet.js'
import { startFleetPage, type FleetPage } from '../dashboard/support/fleet-page.js'
import { expectAccessible } from './support/axe.js'
import { steer } from './support/dashboard.js'
import { inChromium, type TestBrowser } from './support/each-browser.js'

/** A Fleet's dashboard in a page of its own. */
async function openFleet(browser: TestBrowser, options: TestFleetOptions = {}, width = 1280) {
  const fleet: FleetPage = await startFleetPage(options)
  const { page } = await browser.open('about:blank')
  await page.setViewport({ width, height: 800 })
  // The first request builds the page from its source.
  await fetch(`${fleet.url}/_/`)
  await page.goto(`${fleet.url}/_/`)
  const steering = steer(page)
  await page.waitForSelector('[data-server]')
  return {
    ...steering,
    fleet,
    /** Chooses an item in the menu of a row. */
    async choose(name: string, item: string): Promise<void> {
      await page.click(`[data-server="${name}"] button`)
      await page.click(`#server-menu ::-p-text(${item})`)
    },
  }
}

const rowsAre = (count: number): string => `document.querySelectorAll('[data-server]').length === ${count}`

inChromium((browser) => {
  test('+ adds a row at the end, and the name in a row leads to that server’s own dashboard', async () => {
    const { fleet, run, until, press } = await openFleet(browser)
    const [first] = fleet.names()
    fleet.model.dispatch({
      type: 'process',
      server: first!,
      process: { state: 'running', pid: 4711, restarts: 2, sidecarUrl: 'http://127.0.0.1:9358' },
    })
    await until(`document.querySelector('[data-server="${first}"] a')?.href === 'http://127.0.0.1:9358/_/'`)
    expect(await run(`document.querySelector('[data-server="${first}"]').innerText`)).toMatch(/\n2\n4711\n/)
    fleet.advance(1)
    await press('+')
    await until(rowsAre(3))
    const shown: string[] = await run(
      `[...document.querySelectorAll('[data-server]')].map((row) => row.dataset.server)`,
    )
    expect(shown.at(-1)).toBe(fleet.names('Scheduled')[0])
  })

  test('Allocate shows which server was taken and why, and a refused allocation what each server failed by', async () => {
    const { fleet, page, run, says, press } = await openFleet(browser)
    await page.click('.header .primary')
    await page.keyboard.type('mode=dm')
    await press('Enter')
    await says('Told', 'Allocated')
    const { allocation } = fleet.model
      .entries()
      .filter((entry) => entry.allocation)
      .at(-1)!
    expect(fleet.names('Allocated')).toEqual([allocation?.server])
    await says('Allocations', allocation!.reason)
    await says('Timeline', allocation!.reason)
    await press('a')
    await run(`document.querySelector('dialog details').open = true`)
    await page.type('[name="match.labels"]', 'map=moon')
    await press('Enter')
    await page.waitForFunction(`document.querySelector('dialog [role=alert]').innerText.startsWith('UnAllocated: ')`)
    await press('Escape')
    await says('Allocations', 'UnAllocated')
  })

  test('n chooses a server, X, U and x ask before they act on it, and a key without a chosen server acts on none', async () => {
    const { fleet, run, until, says, press } = await openFleet(browser)
    const isAsking = `document.querySelector('dialog[open]') !== null`
    await press('x')
    await says('Told', 'Choose a GameServer')
    expect(await run(isAsking)).toBe(false)
    const [first, second] = fleet.names().sort()
    const isIn = (name?: string): string =>
      `document.activeElement.closest('[data-server]')?.dataset.server === '${name}'`
    await press('n', 'n')
    await until(isIn(second))
    await press('X', 'Enter')
    await expect.poll(() => fleet.actions).toContainEqual({ type: 'kill', server: second })
    await until(isIn(second))
    await press('U')
    await until(isAsking)
    await press('Escape')
    await until(isIn(second))
    await press('p')
    await until(isIn(first))
    await press('U', 'Enter')
    await until(`document.querySelector('[data-server="${first}"]')?.innerText.includes('Unhealthy') === true`)
    expect(fleet.model.snapshot().servers.find(({ name }) => name === first)?.gameServer.status.state).toBe('Shutdown')
  })

  test('a row’s menu deletes that server, and shows its events', async () => {
    const { fleet, page, run, until, press, choose } = await openFleet(browser)
    const [first, second] = fleet.names()
    await choose(second!, 'Show its events')
    expect(await run(`document.querySelector('#filter').value`)).toBe(`server:${second!.slice('arena-'.length)}`)
    await choose(second!, 'Delete')
    await page.waitForSelector('dialog[open]')
    await press('Enter')
    await until(`document.querySelector('[data-server="${second}"]').innerText.includes('being deleted')`)
    expect(await run(`document.querySelector('[data-server="${first}"]').innerText`)).not.toContain('deleted')
  })

  test('markup in names, labels and values is shown as text', async () => {
    const markup = '<img src=x onerror=document.title="run">'
    const { fleet, run, says, press, page } = await openFleet(browser)
    const [first] = fleet.names()
    fleet.control(first!, { type: 'setList', name: markup, capacity: '4', values: [markup] })
    fleet.control(first!, { type: 'setLabel', key: 'note', value: markup })
    fleet.control(first!, { type: 'setState', state: markup })
    await says('GameServers', markup)
    fleet.model.allocate({ spec: { selectors: [{ matchLabels: { note: markup } }] } })
    await says('Allocations', 'UnAllocated')
    await press('j', 'Enter')
    await page.waitForSelector('.timeline-view')
    await press('a')
    await says('Allocate', markup)
    expect(await run(`document.querySelectorAll('img').length`)).toBe(0)
    expect(await run('document.title')).not.toBe('run')
  })

  test.each([1280, 390])('at %i pixels axe finds nothing, and no part scrolls sideways', async (width) => {
    const { fleet, page, run, says, press } = await openFleet(browser, { autoscaler: buffer }, width)
    fleet.model.allocate({ spec: {} })
    fleet.control(fleet.names()[0]!, { type: 'setList', name: 'players', capacity: '4', values: ['alice'] })
    await says('GameServers', '1 / 4')
    const panes = width < 820 ? ['Fleet', 'Allocations', 'Timeline', 'Servers'] : ['']
    for (const pane of panes) {
      if (pane)
        await run(`[...document.querySelectorAll('.panes .tab')].find((tab) => tab.innerText === '${pane}').click()`)
      await expectAccessible(page, pane)
      expect(await run('document.documentElement.scrollWidth'), `width of ${pane}`).toBe(width)
      const isWide = `[...document.querySelectorAll('.servers-box, .panels, main')].some((box) => box.scrollWidth > box.clientWidth)`
      expect(await run(isWide), `a wide part of ${pane}`).toBe(false)
    }
    await page.click('[data-server] button')
    await expectAccessible(page, 'the menu of a row', '#server-menu')
    await press('Escape', 'a')
    await expectAccessible(page, 'Allocate', 'dialog')
  })
})

const buffer = { type: 'Buffer', buffer: { bufferSize: 1, minReplicas: 2, maxReplicas: 4 } } as const
