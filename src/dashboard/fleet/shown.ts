import type { ServerView } from '../../platform/fleet.js'
import { state } from '../store/state.js'

export const allServers = (): readonly ServerView[] => state.fleet?.servers ?? []

/** The rows of the table. */
export const shownServers = (): readonly ServerView[] =>
  allServers().filter((server) => state.shownStates.length === 0 || state.shownStates.includes(server.state))

/** The GameServer that keys act on. */
export const chosenServer = (): ServerView | undefined => allServers().find(({ name }) => name === state.server)

/** The names of all counters or lists. */
export const amountNames = (kind: 'counters' | 'lists'): readonly string[] => [
  ...new Set(allServers().flatMap((server) => server[kind].map(([name]) => name))),
]

/** The number of GameServers in each state, most first. */
export function countStates(): readonly (readonly [state: string, count: number])[] {
  const counts = new Map<string, number>()
  for (const server of allServers()) counts.set(server.state, (counts.get(server.state) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}

/** The short name of a GameServer, also of one that is gone. */
export function shortName(name: string): string {
  const prefix = `${state.fleet?.name}-`
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}
