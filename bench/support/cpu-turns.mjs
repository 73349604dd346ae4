/** Measures two ways to do the same, in turns, by the processor's time: a busy machine slows neither. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { median } from './statistics.mjs'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

/** Nanoseconds of processor time, collection of garbage included: what else runs here doesn't count. */
const now = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

/**
 * @param runners by name, `ours` and `ws`: functions that do their work `passes` times and return how many messages that
 * were
 * @returns nanoseconds a message of each, and the median ratio of the pairs
 */
export function measureInTurns(runners, { rounds, roundMs, warmMs }) {
  const names = Object.keys(runners)
  const round = (name, passes) => {
    const start = now()
    const messages = runners[name](passes)
    const spent = now() - start
    if (!messages) throw new Error(`${name} did nothing`)
    return { spent, perMessage: spent / messages }
  }
  const passes = {}
  for (const name of names) {
    // Warm until it is optimised, then as many passes as fill a round.
    const until = now() + warmMs * 1e6
    while (now() < until) round(name, 1)
    for (let count = 1; ; count *= 2) {
      const { spent } = round(name, count)
      passes[name] = Math.max(1, Math.round((count * roundMs * 1e6) / spent))
      if (spent > (roundMs * 1e6) / 4) break
    }
  }
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let at = 0; at < rounds; at++) {
    // Whoever goes second may pay for the other's garbage: they take turns.
    for (const name of at % 2 ? names.toReversed() : names) times[name].push(round(name, passes[name]).perMessage)
  }
  return {
    ours: median(times.ours),
    ws: median(times.ws),
    ratio: median(times.ours.map((time, at) => times.ws[at] / time)),
  }
}

/** Bytes in use, without garbage. */
export function usedBytes() {
  for (let i = 0; i < 3; i++) collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
