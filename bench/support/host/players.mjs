/**
 * Players in a process of their own. The parent sends `{ run, ...options }`. The process sends `begin` when all players
 * have connected and warmed up, and then the result.
 */
import { quantile } from '../statistics.mjs'
import { openPlayer } from './player.mjs'

const MESSAGE_BYTES = 64
const ONE_TURN_MS = 1
const crowds = []

const runs = { echo, saturate, watchSnapshots, gather, leave }
process.on('message', async ({ run, ...options }) => {
  try {
    process.send({ result: await runs[run](options) })
  } catch (error) {
    process.send({ error: String(error) })
  }
})
process.on('disconnect', () => process.exit())
process.send('started')

/** Each sends `rate` messages a second, spread evenly, and gets each of them back. */
async function echo({ port, players, rate, seconds, warmUp = 1 }) {
  const trips = []
  let sent = 0
  let counts = false
  let since = Infinity
  const all = await come(players, port, '', (bytes, from) => {
    const at = bytes.readDoubleBE(from)
    if (at >= since) trips.push(performance.now() - at)
  })
  const message = Buffer.alloc(MESSAGE_BYTES)
  const began = performance.now()
  let due = 0
  const timer = setInterval(() => {
    const now = performance.now()
    const until = ((now - began) / 1000) * rate * players
    for (; due < until; due++) {
      message.writeDoubleBE(performance.now())
      all[due % players].send(message)
      if (counts) sent++
    }
  }, ONE_TURN_MS)
  await sleep(warmUp * 1000)
  counts = true
  since = performance.now()
  process.send('begin')
  const cpu = process.cpuUsage()
  await sleep(seconds * 1000)
  const { user, system } = process.cpuUsage(cpu)
  clearInterval(timer)
  counts = false
  process.send('end')
  // Messages in flight count if they arrive within half a second.
  for (let i = 0; i < 20 && trips.length < sent; i++) await sleep(25)
  return { ...end(all), ...told(trips), sent, received: trips.length, cpu: (user + system) / 1e4 / seconds }
}

/**
 * Each sends its next message as soon as one comes back, with `inFlight` on their way. Results in messages a second.
 */
async function saturate({ port, players, inFlight, seconds, warmUp = 1 }) {
  let received = 0
  const message = Buffer.alloc(MESSAGE_BYTES)
  const opened = []
  const all = await come(players, port, '', (_bytes, _from, _to, i) => {
    received++
    opened[i].send(message)
  })
  opened.push(...all)
  for (const player of all) for (let i = 0; i < inFlight; i++) player.send(message)
  await sleep(warmUp * 1000)
  process.send('begin')
  received = 0
  const began = performance.now()
  await sleep(seconds * 1000)
  const perSecond = received / ((performance.now() - began) / 1000)
  process.send('end')
  return { ...end(all), perSecond }
}

/** The latency of snapshots, from the times that they hold, and the share of snapshots that came. */
async function watchSnapshots({ port, players, seconds, perSecond, warmUp = 1 }) {
  const ages = []
  let counts = false
  const all = await come(players, port, 'snapshots', (bytes, from) => {
    if (counts) ages.push(performance.timeOrigin + performance.now() - bytes.readDoubleBE(from))
  })
  await sleep(warmUp * 1000)
  counts = true
  process.send('begin')
  await sleep(seconds * 1000)
  counts = false
  process.send('end')
  return { ...end(all), ...told(ages), received: ages.length, sent: players * perSecond * seconds }
}

/** Idle players, until `leave`. */
async function gather({ port, players }) {
  crowds.push(...(await come(players, port, '', () => {})))
  process.send('begin')
  return { gone: crowds.filter(({ isGone }) => isGone).length }
}

async function leave() {
  return end(crowds.splice(0))
}

async function come(players, port, path, onMessage) {
  const all = []
  // A few at a time, since this doesn't measure simultaneous connects.
  while (all.length < players) {
    const more = Math.min(50, players - all.length)
    const first = all.length
    const opening = Array.from({ length: more }, (_, i) =>
      openPlayer(port, path, (bytes, from, to) => onMessage(bytes, from, to, first + i)),
    )
    all.push(...(await Promise.all(opening)))
  }
  return all
}

function end(all) {
  const gone = all.filter(({ isGone }) => isGone).length
  for (const player of all) player.leave()
  return { gone }
}

const told = (times) =>
  times.length === 0
    ? { p50: Infinity, p95: Infinity, p99: Infinity }
    : { p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) }

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
