import type { ElementHandle } from 'puppeteer-core'
import { describe, expect, test } from 'vitest'
import { connectClient } from '../support/with-sidecar.js'
import { inDashboard, type Dashboard } from './support/dashboard.js'

/** A GameServer with all that the panels show, and a health period that the tests' clock can step over. */
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

/** Finds an action by words and does it: two presses and typing. */
async function act({ page, press, until }: Dashboard, words: string): Promise<void> {
  await page.keyboard.down('Control')
  await press('k')
  await page.keyboard.up('Control')
  await page.keyboard.type(words)
  await until(`document.querySelector('[role=option][aria-selected=true]') !== null`)
  await press('Enter')
}

async function button({ page }: Dashboard, region: string, name: string): Promise<ElementHandle> {
  return (await page.waitForSelector(`[aria-label="${region}"] ::-p-aria([name="${name}"][role="button"])`))!
}

/** Resolves once the sidecar's state is so. */
const becomes = (what: () => unknown, value: unknown): Promise<void> =>
  expect.poll(() => what(), { interval: 20, timeout: 20_000 }).toEqual(value)

inDashboard((openDashboard) => {
  const open = (): Promise<Dashboard> => openDashboard({ local: { gameServer } })

  describe('by keyboard alone', () => {
    test('a, a label and Enter allocate; A allocates the same again', async () => {
      const dashboard = await open()
      await dashboard.press('a')
      await dashboard.page.keyboard.type('mode=dm')
      await dashboard.press('Enter')
      await dashboard.says('Lifecycle', 'Allocated')
      await becomes(() => statusOf(dashboard).state, 'Allocated')
      const { labels } = dashboard.local.sidecar.snapshot().gameServer.object_meta
      expect(labels).toMatchObject({ mode: 'dm', fleet: 'blue' })
      await dashboard.until(`document.querySelector('dialog[open]') === null`)
      dashboard.local.control({ type: 'setState', state: 'Ready' })
      dashboard.local.control({ type: 'setLabel', key: 'mode', value: null })
      await dashboard.until(`document.title.includes('Ready')`)
      await dashboard.press('A')
      await becomes(() => dashboard.local.sidecar.snapshot().gameServer.object_meta.labels!['mode'], 'dm')
    })

    test('the reason is told in the dialog where nothing matches, and what was typed is there the next time', async () => {
      const dashboard = await open()
      dashboard.local.control({ type: 'setState', state: 'Scheduled' })
      await dashboard.press('a')
      await dashboard.page.keyboard.type('mode=dm')
      await dashboard.press('Enter')
      await dashboard.says('Allocate', 'UnAllocated: ')
      await dashboard.press('Escape', 'a')
      await dashboard.until(`document.activeElement.value === 'mode=dm'`)
    })

    test('ignored beats make it Unhealthy the honest way, and the misses are counted', async () => {
      const dashboard = await open()
      await dashboard.call('POST', '/health', {})
      await dashboard.says('Health', 'misses 0 of 3')
      await act(dashboard, 'ignore beats')
      await becomes(() => dashboard.local.sidecar.snapshot().health.ignoreBeats, true)
      await dashboard.press('t')
      await dashboard.says('Health', /misses [12] of 3/)
      await dashboard.call('POST', '/health', {})
      await dashboard.press('t')
      await dashboard.until(`document.title.includes('Unhealthy')`)
      await dashboard.until(`document.querySelectorAll('.health-miss').length >= 3`)
    })

    test('u makes it Unhealthy by force, after a question', async () => {
      const dashboard = await open()
      await dashboard.press('u', 'Enter')
      await dashboard.until(`document.title.includes('Unhealthy')`)
      await dashboard.until(
        `document.querySelector('[aria-label=Lifecycle] [aria-current]').innerText.includes('Unhealthy')`,
      )
    })

    test('rooms go to their capacity, and a player leaves', async () => {
      const dashboard = await open()
      await act(dashboard, 'rooms capacity')
      await dashboard.says('Counters', '10 / 10')
      await act(dashboard, 'remove alice')
      await dashboard.says('Lists', '1 / 4')
      expect(statusOf(dashboard)).toMatchObject({
        counters: { rooms: { count: '10', capacity: '10' } },
        lists: { players: { values: ['bob'] } },
      })
    })

    test('a reservation of 30 s is skipped by t t t', async () => {
      const dashboard = await open()
      await dashboard.call('POST', '/health', {})
      await dashboard.call('POST', '/reserve', { seconds: '30' })
      await dashboard.says('Lifecycle', 'Ready again in')
      await dashboard.press('t', 't', 't')
      await becomes(() => statusOf(dashboard).state, 'Ready')
      // The game beats every 5 s: what was skipped is no silence of it.
      expect(dashboard.local.sidecar.snapshot().health.failures).toBe(0)
    })
  })

  describe('by hand', () => {
    test('one press each fills a counter, takes a player out, and counts each of many quick presses', async () => {
      const dashboard = await open()
      const plus = await button(dashboard, 'Counters', 'rooms +1')
      await plus.evaluate((element) => {
        for (let i = 0; i < 4; i++) (element as HTMLElement).click()
      })
      await dashboard.says('Counters', '7 / 10')
      await (await button(dashboard, 'Counters', 'full: rooms to capacity')).click()
      await dashboard.says('Counters', '10 / 10')
      await (await button(dashboard, 'Lists', 'Remove alice from players')).click()
      await dashboard.says('Lists', '1 / 4')
      // The value's button is gone; the focus stays near.
      expect(await dashboard.run(`document.activeElement.getAttribute('aria-label')`)).toBe('Add to players')
      await dashboard.page.keyboard.type('carol')
      await dashboard.press('Enter')
      await dashboard.says('Lists', 'carol')
      // The page shows it before the sidecar has it.
      await becomes(() => statusOf(dashboard).lists!['players']!.values, ['bob', 'carol'])
    })

    test('a counter is set, another one is added, and the focus stays with the keyboard', async () => {
      const dashboard = await open()
      await (await button(dashboard, 'Counters', 'Set rooms')).press('Enter')
      await dashboard.until(`document.activeElement.name === 'count'`)
      await dashboard.press('Delete', 'Backspace')
      await dashboard.page.keyboard.type('9')
      await dashboard.press('Enter')
      await dashboard.says('Counters', '9 / 10')
      expect(await dashboard.run(`document.activeElement.getAttribute('aria-label')`)).toBe('Set rooms')
      await (await button(dashboard, 'Counters', '+ counter')).press('Enter')
      await dashboard.until(`document.activeElement.name === 'name'`)
      await dashboard.page.keyboard.type('goals')
      await dashboard.press('Enter')
      await dashboard.says('Counters', /goals\s+0 \/ 10/)
      await dashboard.until(`document.activeElement.innerText === '+ counter'`)
    })

    test.each(['Shutdown', 'Unhealthy', 'Fresh'])('%s, which ends the game server, asks first', async (end) => {
      const dashboard = await open()
      await (await button(dashboard, 'Lifecycle', 'Reserved')).click()
      await becomes(() => statusOf(dashboard).state, 'Reserved')
      await (await button(dashboard, 'Lifecycle', end)).click()
      await dashboard.until(`document.querySelector('dialog[open]') !== null`)
      expect(statusOf(dashboard).state).toBe('Reserved')
      await dashboard.press('Enter')
      await becomes(() => statusOf(dashboard).state, end === 'Fresh' ? 'Scheduled' : end)
    })

    test('one press fails half of the calls; each fault is shown, and ends without the others', async () => {
      const dashboard = await open()
      await (await button(dashboard, 'Faults', 'Fail')).click()
      await dashboard.says('Faults', 'fail 50 % of all calls with 503')
      await (await button(dashboard, 'Faults', 'Ignore')).click()
      await dashboard.says('Faults', 'the next 3 beats ignored')
      await (await button(dashboard, 'Faults', 'Clear: fail 50 % of all calls with 503')).click()
      await becomes(() => dashboard.local.sidecar.snapshot().faults.failures, [])
      await becomes(() => dashboard.local.sidecar.snapshot().faults.beatsToIgnore, 3)
      await (await button(dashboard, 'Faults', 'flaky Wi-Fi')).click()
      await dashboard.says('Faults', 'watchers dropped every 10 s')
    })

    test('a GameServer is edited as YAML; a mistake is named and nothing that was typed is lost', async () => {
      const dashboard = await open()
      await (await button(dashboard, 'GameServer', 'edit')).click()
      const editor = (await dashboard.page.waitForSelector('textarea[name=manifest]'))!
      const text = await editor.evaluate((element) => element.value)
      expect(text).toContain('kind: GameServer\nmetadata:\n  name: lobby\n')
      const write = (value: string): Promise<void> =>
        editor.evaluate((element, next) => void (element.value = next), value)
      await write(text.replace('metadata:', 'metadata: ['))
      await (await button(dashboard, 'GameServer', 'Apply')).click()
      await dashboard.says('GameServer', 'The text is neither YAML nor JSON: ')
      await write(text.replace('fleet:', 'flotilla:').replace('periodSeconds', 'periodSecond'))
      await (await button(dashboard, 'GameServer', 'Apply')).click()
      await dashboard.says('GameServer', /periodSecond\W.*did you mean .*periodSeconds/s)
      expect(await editor.evaluate((element) => element.value)).toContain('flotilla')
      await write(text.replace('fleet: blue', 'fleet: green'))
      await (await button(dashboard, 'GameServer', 'Apply')).click()
      await dashboard.says('GameServer', 'fleet "green"')
    })
  })

  test('what others do to the sidecar is seen', async () => {
    const dashboard = await open()
    const { local } = dashboard
    await dashboard.says('Watchers', 'None')
    connectClient(local).on('state', () => undefined)
    await dashboard.says('Watchers', /#1 \w+/)
    local.control({ type: 'setCounter', name: 'goals', count: 2, capacity: 5 })
    await dashboard.says('Counters', /goals\s+2 \/ 5/)
    local.control({ type: 'setList', name: 'players', values: ['zoe'] })
    await dashboard.says('Lists', /zoe/)
    local.control({ type: 'setState', state: 'Allocated' })
    await dashboard.until(
      `document.querySelector('[aria-label=Lifecycle] [aria-current]').innerText.includes('Allocated')`,
    )
    local.control({ type: 'stallWatchers' })
    await dashboard.until(`document.querySelector('[aria-label=Watchers] [aria-pressed=true]') !== null`)
    // A client that waits long for its first object has opened another watch already.
    const watcher = await dashboard.run<string>(
      `document.querySelector('[aria-label=Watchers] li').innerText.match(/#(\\d+)/)[1]`,
    )
    await (await button(dashboard, 'Watchers', `Drop watcher ${watcher}`)).click()
    await dashboard.says('Watchers', new RegExp(`#(?!${watcher} )\\d`))
  })

  test('a hundred counters push neither the GameServer’s name nor the button Allocate out of sight', async () => {
    const counters = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`counter-${i}`.padEnd(58, 'c'), { count: 1, capacity: 9 }]),
    )
    const dashboard = await openDashboard({
      local: { gameServer: { metadata: { name: 'lobby' }, spec: { counters }, status: { state: 'Ready' } } },
    })
    await dashboard.says('Counters', 'counter-99')
    // A long name has its own line, with the bar below it.
    const places = await dashboard.run<number[]>(
      `['.part-name', '.part-meter'].map((part) => document.querySelector('.count-row ' + part).getBoundingClientRect())
        .flatMap(({ top, bottom }) => [top, bottom])`,
    )
    expect(places[1]).toBeLessThanOrEqual(places[2]!)
    await dashboard.press('a')
    await dashboard.says('Allocate', 'counter-99')
    const isSeen = (selector: string): Promise<unknown> =>
      dashboard.run(`(() => {
        const { width, top, bottom } = document.querySelector('${selector}').getBoundingClientRect()
        return width > 20 && top >= 0 && bottom <= innerHeight
      })()`)
    expect(await isSeen('.header-facts b')).toBe(true)
    expect(await isSeen('.allocate-foot .button-primary')).toBe(true)
  })

  test('on a phone every field of the Allocate dialog shows its whole hint', async () => {
    const dashboard = await openDashboard({ local: { gameServer }, width: 390, touch: true })
    await dashboard.press('a')
    await dashboard.says('Allocate', 'rooms')
    await dashboard.run(`document.querySelector('.allocate fieldset + details').open = true`)
    const cut = await dashboard.run(`[...document.querySelectorAll('.allocate input')].flatMap((field) => {
      field.value = field.placeholder
      return field.scrollWidth > field.clientWidth ? [field.name] : []
    })`)
    expect(cut).toEqual([])
  })

  test('where the system chooses the colours, a border shows what is chosen', async () => {
    const dashboard = await openDashboard({ local: { gameServer }, width: 390 })
    const session = await dashboard.page.createCDPSession()
    await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] })
    await dashboard.call('POST', '/ready', {})
    await dashboard.says('Timeline', 'ready')
    // What the toggle leaves out can't be opened.
    await dashboard.run(`document.querySelector('.timeline-toggle').click()`)
    await dashboard.says('Timeline', 'ready')
    await dashboard.press('j', 'Enter')
    await dashboard.until(`document.querySelector('.timeline-tab') !== null`)
    await dashboard.page.keyboard.down('Control')
    await dashboard.press('k')
    await dashboard.page.keyboard.up('Control')
    const styles = () =>
      dashboard.run(`['.panes-tab', '.timeline-tab', '.timeline-toggle', '.palette-item'].map((one) =>
      [...document.querySelectorAll(one)].slice(0, 2).map((part) => getComputedStyle(part).borderBottomStyle === 'double'))`)
    // The page draws what was pressed with its next frame.
    await expect.poll(styles).toEqual(Array(4).fill([true, false]))
  })

  test('a panel without anything to show says what to paste', async () => {
    const dashboard = await openDashboard({ local: { gameServer: { metadata: { name: 'bare' } } } })
    await dashboard.says('Health', 'Not started: waits for the game’s first call')
    await dashboard.says('Counters', "updateCounter('rooms'")
    await dashboard.says('Lists', "addListValue('players'")
    await dashboard.says('Watchers', `curl -N ${dashboard.local.url}/watch/gameserver`)
  })
})
