/**
 * Long runs: memory growth, and events that are lost, doubled or out of order, after a million watch events, a thousand
 * restarts, ten thousand listeners and a day of beats. Needs `--expose-gc`, so it runs as a process of its own.
 *
 * A thousand restarts by WebSocket leave 3 to 6 % more heap, most of it after the first few hundred. Heap snapshots
 * before and after name V8's compiled code (deopt data, relocation info, feedback vectors) and Node's own
 * PerformanceResourceTiming, one for each fetch and 250 at most; of this package's objects none are left over.
 */
import { createClient } from '../dist/index.js'
import { createObjectServer } from './support/object-server.mjs'
import { median, quantile, round } from './support/statistics.mjs'
import { VirtualClock } from './support/virtual-clock.mjs'

export const title = 'Long runs'

export async function measure({ quick }) {
  const scale = quick ? 100 : 1
  const rows = []
  for (const watch of ['websocket', 'stream']) {
    rows.push(await watchEvents(watch, 1_000_000 / scale))
    rows.push(await restarts(watch, 1000 / scale))
  }
  rows.push(await listeners(10_000 / scale))
  rows.push(await dayOfBeats(quick ? 3600 : 86_400))
  return rows
}

async function heap() {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}

/**
 * Runs something, and compares the memory and the active resources before and after. A short run goes first, so that
 * one-time loading, compiling and pooling doesn't count as a leak.
 */
async function within(name, count, run) {
  const server = await createObjectServer()
  await run(server, Math.ceil(count / 5))
  const before = await heap()
  const result = await run(server, count)
  const after = await heap()
  await server.close()
  await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    run: `${count} ${name}`,
    ...result,
    'heap start MB': round(before / 1e6, 2),
    'heap end MB': round(after / 1e6, 2),
    'heap end/start': round(after / before, 3),
    'timers and sockets left': process.getActiveResourcesInfo().filter((kind) => /Timeout|TCP/.test(kind)).length,
  }
}

/** Resolves when the watch is open. The first object may come from a GET, and events before the watch aren't losses. */
function connected(client) {
  return new Promise((resolve) => {
    client.on('connection', ({ transport }) => transport && resolve())
    client.on('gameserver', () => {})
  })
}

/** Counts the events of a listener without keeping them. */
function account(client) {
  const told = { last: 0, count: 0, doubled: 0, outOfOrder: 0, waiting: undefined }
  client.on('gameserver', ({ object_meta: meta }) => {
    const version = Number(meta.resource_version)
    told.count++
    if (version === told.last) told.doubled++
    else if (version < told.last) told.outOfOrder++
    told.last = version
    told.waiting?.()
  })
  /** Whether a version came within 20 s. A missing one is a loss and doesn't hang the run. */
  told.until = (version) =>
    new Promise((resolve) => {
      const finish = (came) => {
        clearTimeout(limit)
        told.waiting = undefined
        resolve(came)
      }
      const limit = setTimeout(finish, 20_000, false)
      told.waiting = () => told.last >= version && finish(true)
      told.waiting()
    })
  return told
}

async function watchEvents(watch, total) {
  return within(`events, ${watch}`, total, async (server, events) => {
    const client = createClient({ baseUrl: server.url, watch, verifyInterval: 60_000 })
    const told = account(client)
    await connected(client)
    const start = told.last
    await server.publishMany(events)
    await told.until(start + events)
    client.close()
    return {
      lost: start + events - told.last + (events - (told.count - 1)),
      doubled: told.doubled,
      'out of order': told.outOfOrder,
    }
  })
}

async function restarts(watch, total) {
  const recoveries = []
  const row = await within(`restarts, ${watch}`, total, async (server, times) => {
    const client = createClient({ baseUrl: server.url, watch })
    const told = account(client)
    let lost = 0
    recoveries.length = 0
    await connected(client)
    for (let i = 0; i < times; i++) {
      server.publish()
      await server.stop()
      server.publish()
      await server.start()
      const back = performance.now()
      if (!(await told.until(server.version))) lost++
      recoveries.push(performance.now() - back)
      server.publish()
      if (!(await told.until(server.version))) lost++
    }
    client.close()
    return { lost, doubled: told.doubled, 'out of order': told.outOfOrder }
  })
  return {
    ...row,
    'back to told, median ms': round(median(recoveries), 1),
    '99 % ms': round(quantile(recoveries, 0.99), 1),
  }
}

async function listeners(total) {
  return within('listeners added and removed', total, async (server, times) => {
    const client = createClient({ baseUrl: server.url })
    await connected(client)
    let calls = 0
    for (let i = 0; i < times; i++) {
      const offs = ['gameserver', 'state', 'label', 'health', 'error'].map((type) => client.on(type, () => calls++))
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      offs.forEach((off) => off())
    }
    const before = calls
    server.publish()
    await client.waitFor(({ object_meta: meta }) => Number(meta.resource_version) >= server.version)
    client.close()
    return { 'calls after removal': calls - before }
  })
}

/** The beats of a whole day against a real server, on a virtual clock. */
async function dayOfBeats(total) {
  return within('s of beats on a virtual clock', total, async (server, seconds) => {
    const clock = new VirtualClock()
    const client = createClient({ baseUrl: server.url, autoHealth: true, scheduler: clock, now: clock.now })
    let beats = 0
    let failed = 0
    let last = 0
    let longest = 0
    let told = () => {}
    client.on('health', ({ ok }) => {
      beats++
      if (!ok) failed++
      longest = Math.max(longest, clock.now() - last)
      last = clock.now()
      told()
    })
    await new Promise((resolve) => (told = resolve))
    await client.connect()
    while (clock.now() < seconds * 1000) {
      const answered = new Promise((resolve) => (told = resolve))
      // Each beat is answered before the clock goes on.
      while (!clock.step(60_000));
      await answered
    }
    client.close()
    return { beats, 'failed beats': failed, 'longest gap s': longest / 1000 }
  })
}

/** The limits of a row, on any machine. */
function misses(row) {
  const zero = ['lost', 'doubled', 'out of order', 'calls after removal', 'failed beats', 'timers and sockets left']
  return [
    ...zero.filter((name) => row[name] > 0).map((name) => `${row[name]} ${name}`),
    ...(row['heap end/start'] > 1.05 ? [`the heap grew by more than 5 %`] : []),
    ...(row['back to told, median ms'] > 300 ? ['the median from back to told is over 300 ms'] : []),
  ].map((miss) => `${row.run}: ${miss}`)
}

if (process.argv[1] === import.meta.filename) {
  const quick = process.argv.includes('--quick')
  const rows = await measure({ quick })
  console.table(rows)
  const { mkdirSync, writeFileSync } = await import('node:fs')
  mkdirSync(new URL('results/', import.meta.url), { recursive: true })
  writeFileSync(new URL('results/soak.json', import.meta.url), JSON.stringify({ rows }, null, 2) + '\n')
  // A short run can't show growth, since one-time loading weighs too much.
  const missed = quick ? [] : rows.flatMap(misses)
  for (const miss of missed) console.error(miss)
  process.exitCode = missed.length > 0 ? 1 : 0
}
