import { expect, test } from 'vitest'
import { connectClient } from '../support/with-sidecar.js'
import { inDashboard, type Dashboard } from './support/dashboard.js'

/** A GameServer with something to show in each panel, and a health period that is shorter than a skip of the clock. */
const gameServer = {
  metadata: { name: 'lobby', labels: { fleet: 'blue' } },
  spec: { health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 1 } },
  status: {
    state: 'Ready',
    counters: { rooms: { count: 3, capacity: 10 } },
    lists: { players: { capacity: 4, values: ['alice', 'bob'] } },
  },
}

const statusOf = ({ local }: Dashboard) => local.sidecar.snapshot().gameServer.status

/** Resolves once `what` gives the value. */
const becomes = (what: () => unknown, value: unknown): Promise<void> =>
  expect.poll(() => what(), { interval: 20, timeout: 20_000 }).toEqual(value)

inDashboard((openDashboard) => {
  const open = (): Promise<Dashboard> => openDashboard({ local: { gameServer } })

  test('a, a label and Enter allocate; A repeats that; the dialog keeps its fields and says why nothing matches', async () => {
    const dashboard = await open()
    const labels = () => dashboard.local.sidecar.snapshot().gameServer.object_meta.labels
    await dashboard.press('a')
    await dashboard.page.keyboard.type('mode=dm')
    await dashboard.press('Enter')
    await becomes(() => statusOf(dashboard).state, 'Allocated')
    expect(labels()).toMatchObject({ mode: 'dm', fleet: 'blue' })
    await dashboard.until(`document.querySelector('dialog[open]') === null`)
    dashboard.local.control({ type: 'setState', state: 'Ready' })
    dashboard.local.control({ type: 'setLabel', key: 'mode', value: null })
    await dashboard.until(`document.title.includes('Ready')`)
    await dashboard.press('A')
    await becomes(() => labels()!['mode'], 'dm')
    dashboard.local.control({ type: 'setState', state: 'Scheduled' })
    await dashboard.press('a')
    await dashboard.until(`document.activeElement.value === 'mode=dm'`)
    await dashboard.press('Enter')
    await dashboard.says('Allocate', 'UnAllocated: ')
  })

  test('Allocate sends no kept field of a counter that this GameServer lacks', async () => {
    const dashboard = await open()
    await dashboard.run(`localStorage.setItem('sidecar-allocation', '{"match.counters.minAvailable:gone":"1"}')`)
    await dashboard.press('a', 'Enter')
    await becomes(() => statusOf(dashboard).state, 'Allocated')
  })

  test('ignored beats lead to misses, and misses make the GameServer Unhealthy', async () => {
    const dashboard = await open()
    dashboard.local.control({ type: 'setClock', speed: 0 })
    await dashboard.call('POST', '/health', {})
    await dashboard.says('Health', 'misses 0 of 3')
    await (await dashboard.button('Health', 'Ignore beats')).click()
    await becomes(() => dashboard.local.sidecar.snapshot().faults.ignoreBeats, true)
    await dashboard.press('t')
    await dashboard.says('Health', /misses [12] of 3/)
    await dashboard.call('POST', '/health', {})
    await dashboard.press('t')
    await dashboard.until(`document.title.includes('Unhealthy')`)
    await dashboard.until(`document.querySelectorAll('.health-miss').length >= 3`)
  })

  test('counters and lists change by button and form, and the focus of the keyboard stays near', async () => {
    const dashboard = await open()
    const focused = (): Promise<string> => dashboard.run(`document.activeElement.getAttribute('aria-label')`)
    const press = async (region: string, name: string): Promise<void> =>
      (await dashboard.button(region, name)).press('Enter')
    const plus = await dashboard.button('Counters', 'rooms +1')
    await plus.evaluate((element) => {
      for (let i = 0; i < 4; i++) (element as HTMLElement).click()
    })
    await dashboard.says('Counters', '7 / 10')
    await press('Counters', 'full: rooms to capacity')
    await dashboard.says('Counters', '10 / 10')
    await press('Lists', 'Remove alice from players')
    await dashboard.says('Lists', '1 / 4')
    await press('Lists', 'Remove bob from players')
    await dashboard.says('Lists', 'empty')
    // The focused button has gone.
    expect(await focused()).toBe('Add to players')
    await dashboard.page.keyboard.type('carol')
    await dashboard.press('Enter')
    await dashboard.says('Lists', 'carol')
    // The page shows the value before the sidecar has it.
    await becomes(() => statusOf(dashboard).lists!['players']!.values, ['carol'])
    await dashboard.page.focus('[aria-label="count of rooms"]')
    await dashboard.press('9', 'Enter')
    await dashboard.says('Counters', '9 / 10')
    expect(await focused()).toBe('count of rooms')
  })

  test('each button and key that ends a game server asks first', async () => {
    const dashboard = await open()
    const isOpen = `document.querySelector('dialog[open]') !== null`
    for (const [end, key, state] of [
      ['Shutdown', 's', 'Shutdown'],
      ['Unhealthy', 'u', 'Unhealthy'],
      ['Fresh', 'f', 'Scheduled'],
    ] as const) {
      await (await dashboard.button('Lifecycle', 'Reserved')).click()
      await becomes(() => statusOf(dashboard).state, 'Reserved')
      await (await dashboard.button('Lifecycle', end)).click()
      await dashboard.until(isOpen)
      await dashboard.press('Escape')
      await dashboard.until(`!(${isOpen})`)
      await dashboard.press(key)
      await dashboard.until(isOpen)
      expect(statusOf(dashboard).state).toBe('Reserved')
      await dashboard.press('Enter')
      await becomes(() => statusOf(dashboard).state, state)
    }
    await dashboard.until(
      `document.querySelector('[aria-label=Lifecycle] [aria-current]').innerText.includes('Scheduled')`,
    )
  })

  test('the panel of faults sets one, lists it and clears it; a notice moves none of its buttons', async () => {
    const dashboard = await open()
    const set = await dashboard.button('Faults', 'Set')
    await set.scrollIntoView()
    const { x, y } = await set.clickablePoint()
    const choose = async (fault: string): Promise<void> => {
      await dashboard.page.select('[name=fault]', fault)
      await set.click()
    }
    await choose('Fail the next 5 calls with 503')
    await dashboard.says('Notices', 'fail the next 5 of all calls with 503')
    expect(await set.clickablePoint()).toEqual({ x, y })
    await choose('Lose the next write, answered 200')
    await dashboard.says('Faults', /lose the next 1 write/)
    await (await dashboard.button('Faults', 'Clear')).click()
    await dashboard.says('Faults', /^(?!.*lose the next)(?!.*fail the next)/s)
    expect(dashboard.local.sidecar.snapshot().faults.failures).toEqual([])
  })

  test('the panel of watchers shows who watches, who gets nothing, and drops one', async () => {
    const dashboard = await open()
    const { local } = dashboard
    await dashboard.says('Watchers', 'None')
    connectClient(local).on('state', () => undefined)
    await dashboard.says('Watchers', /#1 \w+/)
    local.control({ type: 'stallWatchers' })
    await dashboard.until(`document.querySelector('[aria-label=Watchers] [aria-pressed=true]') !== null`)
    // A client that got no object for long may have opened another watch.
    const watcher = await dashboard.run<string>(
      `document.querySelector('[aria-label=Watchers] li').innerText.match(/#(\\d+)/)[1]`,
    )
    await (await dashboard.button('Watchers', `Drop watcher ${watcher}`)).click()
    await dashboard.says('Watchers', new RegExp(`#(?!${watcher} )\\d`))
  })

  test('with forced colours, a border marks what is selected', async () => {
    const dashboard = await openDashboard({ local: { gameServer }, width: 390 })
    const session = await dashboard.page.createCDPSession()
    await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] })
    await dashboard.call('POST', '/ready', {})
    await dashboard.says('Timeline', 'ready')
    // The row must pass the toggle's filter.
    await dashboard.run(`document.querySelector('.timeline .pill').click()`)
    await dashboard.says('Timeline', 'ready')
    await dashboard.press('j', 'Enter')
    await dashboard.until(`document.querySelector('.timeline .tab') !== null`)
    const styles = () =>
      dashboard.run(`['.panes .tab', '.timeline .tab', '.timeline .pill'].map((one) =>
      [...document.querySelectorAll(one)].slice(0, 2).map((part) => getComputedStyle(part).borderBottomStyle === 'double'))`)
    await expect.poll(styles).toEqual(Array(3).fill([true, false]))
  })

  test('an empty panel shows code to paste', async () => {
    const dashboard = await openDashboard({ local: { gameServer: { metadata: { name: 'bare' } } } })
    await dashboard.says('Health', 'Not started: waits for the game’s first call')
    await dashboard.says('Counters', "updateCounter('rooms'")
    await dashboard.says('Lists', "addListValue('players'")
    await dashboard.says('Watchers', `curl -N ${dashboard.local.url}/watch/gameserver`)
    // In a low window the box scrolls, and its parts keep their heights.
    await dashboard.page.setViewport({ width: 900, height: 400 })
    const parts = `[...document.querySelectorAll('.timeline-empty > *')]`
    expect(await dashboard.run(`${parts}.every((one) => one.scrollHeight <= one.clientHeight)`)).toBe(true)
  })
})
