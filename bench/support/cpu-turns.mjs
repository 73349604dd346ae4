/** Compares two implementations in turns by processor time, which load on the machine doesn't change. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { median } from './statistics.mjs'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

/** Nanoseconds of this process's processor time, with garbage collection. */
const now = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

/**
 * @param runners `ours` and `ws`: functions that do their work `passes` times and return the number of messages
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
    // Warms up until the code is optimised, then finds the number of passes that fills a round.
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
    // The second one may pay for the first one's garbage, so they take turns to be first.
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
