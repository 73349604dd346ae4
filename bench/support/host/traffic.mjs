/** The cost of players' messages through the page and back, compared with a plain `ws` server with the same players. */
import { median, round } from '../statistics.mjs'
import { startEcho, startPlayers } from './crowd.mjs'
import { memoryOf } from './figures.mjs'
import { mapValues, sleep, startHost, stepsOf, stepsPerSecond } from './host-process.mjs'

const BARE = 'a bare ws server'
const LONGEST_MS = 20
const SNAPSHOTS_PER_SECOND = 20
const SETTLE_MS = 2_000

/** Starts a host with a page, the bare server and players, and ends them when `use` is done. */
async function within(dir, path, use) {
  const host = await startHost(dir, '--path', path)
  const echo = await startEcho()
  const players = await startPlayers()
  try {
    return await use({ host, echo, players })
  } finally {
    await players.end()
    await echo.end()
    await host.end()
  }
}

/** 50 players, in turns with the bare server: medians of the rounds. */
export function measureRelay(dir, rounds, seconds) {
  return within(dir, '/plain.html', async ({ host, echo, players }) => {
    const trips = { host: [], echo: [] }
    const rates = { host: [], echo: [] }
    const cpu = []
    for (let i = 0; i < rounds; i++) {
      for (const [name, { port }] of Object.entries({ host, echo })) {
        const groups = name === 'host' ? host.pids() : {}
        const trip = await players.run({ run: 'echo', port, players: 50, rate: 30, seconds }, groups)
        checkAll(trip)
        trips[name].push(trip)
        if (name === 'host') cpu.push(trip.used)
        rates[name].push((await players.run({ run: 'saturate', port, players: 50, inFlight: 4, seconds })).perSecond)
      }
    }
    const of = (results, key) => median(results.map((result) => result[key]))
    const row = (measure, ours, floor, digits, goal) => ({
      measure,
      host: round(ours, digits),
      floor: round(floor, digits),
      of: BARE,
      ratio: round(ours / floor),
      goal,
    })
    const goals = { p99: 3.3 }
    return [
      ...['p50', 'p95', 'p99'].map((key) =>
        row(`50 players x 30/s, round trip, ${key}, ms`, of(trips.host, key), of(trips.echo, key), 2, goals[key]),
      ),
      { measure: '  CPU of the runner meanwhile, %', host: round(median(cpu.map(({ runner }) => runner.cpu)), 1) },
      { measure: '  CPU of the browser meanwhile, %', host: round(median(cpu.map(({ browser }) => browser.cpu)), 1) },
      row('50 players, 4 in flight each, messages/s', median(rates.host), median(rates.echo), 0, 54_600),
    ]
  })
}

/** The memory of idle players, compared with the bare server, and their effect on active players. */
export function measureIdle(dir, count, rounds, seconds) {
  return within(dir, '/plain.html', async ({ host, echo, players }) => {
    const idle = await startPlayers()
    const active = { run: 'echo', port: host.port, players: 50, rate: 30, seconds }
    const gather = ({ port }) => idle.run({ run: 'gather', port, players: count })
    const leave = async () => {
      const { gone } = await idle.run({ run: 'leave' })
      if (gone > 0) throw new Error(`${gone} idle players were sent away, so nothing was measured`)
    }
    /** KiB of memory per idle player, by process. The active players come first, so their memory doesn't count. */
    const growth = async (server) => {
      const sizes = () => mapValues(server.pids(), (pids) => memoryOf(pids).pss)
      await players.run({ ...active, port: server.port })
      await sleep(SETTLE_MS)
      const before = sizes()
      await gather(server)
      await sleep(SETTLE_MS)
      const during = sizes()
      await leave()
      return mapValues(during, (bytes, name) => (bytes - before[name]) / 1024 / count)
    }
    const { runner, browser } = await growth(host)
    const { server } = await growth(echo)
    const p99 = { without: [], beside: [] }
    for (let i = -1; i < rounds; i++) {
      const without = await players.run(active)
      await gather(host)
      const beside = await players.run(active)
      await leave()
      if (i < 0) continue
      p99.without.push(without.p99)
      p99.beside.push(beside.p99)
    }
    await idle.end()
    const what = `${count} idle players`
    return [
      {
        measure: `${what}: PSS for each, KiB`,
        host: round(runner + browser, 1),
        floor: round(server, 1),
        of: BARE,
        ratio: round((runner + browser) / server),
        goal: 20,
      },
      { measure: '  of it in the runner, KiB', host: round(runner, 1) },
      { measure: '  of it in the browser, KiB', host: round(browser, 1) },
      {
        measure: `${what}: p99 of 50 others, ms`,
        host: round(median(p99.beside)),
        floor: round(median(p99.without)),
        of: 'the same without them',
        ratio: round(median(p99.beside) / median(p99.without)),
        goal: 'as without',
      },
    ]
  })
}

/**
 * Doubles the players until 1 % of their messages take too long, on the host and on the bare server. Repeats a failed
 * measurement, since other processes may have slowed the machine.
 */
export function measureMost(dir, kind, { most, seconds, tries }) {
  return within(dir, '/', async ({ host, echo, players }) => {
    const rows = []
    const stopped = new Set()
    for (let count = 50; count <= most && stopped.size < 2; count *= 2) {
      const row = { players: count, kind }
      for (const [name, { port }] of Object.entries({ host, floor: echo })) {
        if (stopped.has(name)) continue
        const order = orders[kind](port, count, seconds)
        const result = await bestOf(tries, async () => {
          const before = await stepsOf(host)
          const found = await players.run(order, name === 'host' ? host.pids() : {})
          // Messages in flight must not slow the next measurement.
          await sleep(500)
          return { ...found, steps: stepsPerSecond(before, await stepsOf(host)) }
        })
        row[`${name} p99, ms`] = round(result.p99, 1)
        row[`${name} lost`] = Math.max(0, result.sent - result.received)
        if (name === 'host') {
          row['steps/s'] = round(result.steps, 1)
          row['runner, %'] = round(result.used.runner.cpu, 0)
          row['browser, %'] = round(result.used.browser.cpu, 0)
        }
        if (!isFine(result)) stopped.add(name)
      }
      rows.push(row)
    }
    return rows
  })
}

async function bestOf(tries, run) {
  let best
  for (let i = 0; i < tries; i++) {
    const result = await run()
    if (best === undefined || result.p99 < best.p99) best = result
    if (isFine(best)) break
  }
  return best
}

const orders = {
  'echo, 30/s': (port, players, seconds) => ({ run: 'echo', port, players, rate: 30, seconds }),
  '1 KiB, 20/s': (port, players, seconds) => {
    return { run: 'watchSnapshots', port, players, seconds, perSecond: SNAPSHOTS_PER_SECOND }
  },
}
export const kinds = Object.keys(orders)

/** In time, and without losses except at the begin and the end. */
const isFine = ({ p99, sent, received, gone }) => p99 <= LONGEST_MS && received >= sent * 0.95 && gone === 0

/** The most players of `measureMost()` whose messages came in time. */
export const mostOf = (rows, name) =>
  Math.max(0, ...rows.filter((row) => row[`${name} p99, ms`] <= LONGEST_MS).map(({ players }) => players))

/** CPU and memory with so many players at so many messages a second, each of them echoed. */
export function measureCost(dir, counts, rates, seconds) {
  return within(dir, '/', async ({ host, echo, players }) => {
    const rows = []
    for (const count of counts) {
      for (const rate of rates) {
        const order = { run: 'echo', players: count, rate, seconds }
        const { used, p99, cpu, sent, received } = await players.run({ ...order, port: host.port }, host.pids())
        const floor = await players.run({ ...order, port: echo.port }, echo.pids())
        rows.push({
          players: count,
          'messages/s each': rate,
          'runner, %': round(used.runner.cpu, 1),
          'browser, %': round(used.browser.cpu, 1),
          'bare ws, %': round(floor.used.server.cpu, 1),
          ratio: round((used.runner.cpu + used.browser.cpu) / floor.used.server.cpu, 1),
          'memory, MB': round(used.runner.mb + used.browser.mb, 0),
          'p99, ms': round(p99, 1),
          'bare ws p99, ms': round(floor.p99, 1),
          lost: sent - received,
          'players, %': round(cpu, 0),
        })
      }
    }
    return rows
  })
}

function checkAll({ sent, received, gone }) {
  if (received < sent || gone > 0) throw new Error(`${received} of ${sent} came back, ${gone} players were sent away`)
}
