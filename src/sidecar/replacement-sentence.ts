import type { Change } from './model/state/effect.js'

type Replacement = Extract<Change, { readonly type: 'replaced' }>

const ends: Readonly<Record<Exclude<Replacement['reason'], 'reload'>, string>> = {
  Shutdown: 'was shut down',
  Unhealthy: 'was Unhealthy',
  deleted: 'was deleted',
  restart: 'was given up',
}

/** Tells people that a GameServer took the place of another. */
export function replacementSentence({ reason, previous, name }: Replacement): string {
  if (previous === name) return `GameServer ${name} starts over`
  if (reason === 'reload') return `GameServer ${previous} is called ${name} now`
  return `GameServer ${previous} ${ends[reason]}; a fresh one, ${name}, takes its place`
}
