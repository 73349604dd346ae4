/** Memory and CPU of processes, from /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** All processes with parent, group and state, except those that end meanwhile. */
export function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(name, 'stat')
      if (stat === undefined) return []
      const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const seconds = (Number(rest[8]) + Number(rest[9])) / TICKS_PER_SECOND
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), state, seconds }]
    })
}

/** The processes of a browser that the host has started. They form one group. */
export const ofGroup = (group) => processes().filter((process) => process.group === group)

/** The process that runs the page. */
export const rendererOf = (group) => ofGroup(group).find(({ pid }) => read(pid, 'cmdline')?.includes('--type=renderer'))

/** Memory in bytes: `pss` with the processes' share of shared memory, `own` without shared memory. */
export function memoryOf(pids) {
  const rollups = pids.map((pid) => read(pid, 'smaps_rollup') ?? '')
  const sum = (kind) =>
    rollups
      .flatMap((rollup) => [...rollup.matchAll(kind)])
      .reduce((bytes, [, kibibytes]) => bytes + 1024 * Number(kibibytes), 0)
  return { pss: sum(/^Pss: +(\d+)/gm), own: sum(/^Private_(?:Clean|Dirty): +(\d+)/gm) }
}

/** Processor time of these processes so far, in seconds. */
export function secondsOf(pids) {
  const asked = new Set(pids)
  return processes()
    .filter(({ pid }) => asked.has(pid))
    .reduce((sum, { seconds }) => sum + seconds, 0)
}

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}
