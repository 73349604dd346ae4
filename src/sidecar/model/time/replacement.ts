import type { Change } from '../state/effect.js'
import { freshGameServer } from '../state/fresh-game-server.js'
import { createProcess } from '../state/sidecar-state.js'
import { update } from '../state/step.js'
import type { Step } from '../state/step.js'

/** Puts a fresh GameServer, with a sidecar of its own, in the place of the one that has ended. */
export function replaceEnded(step: Step, at: number): void {
  const { ending } = step.state
  if (ending !== undefined) replace(step, ending.reason, at)
}

/** The same whether it is due or not. Whoever watched the old one is cut off. */
export function replace(step: Step, reason: ReplacementReason, at: number): void {
  startFresh(step, reason, at)
  update(step, { watchers: [] })
  step.effects.push({ type: 'disconnect', reason: 'replaced' })
}

/** Forgets the GameServer and everything about it, and starts for a fresh one that no game has called yet. */
export function startFresh(step: Step, reason: ReplacementReason, at: number): void {
  const { config, object: previous } = step.state
  const replacements = step.state.replacements + 1
  const object = freshGameServer(config, previous, replacements, at)
  const names = { previous: previous.object_meta.name, name: object.object_meta.name }
  step.effects.push({ type: 'change', change: { type: 'replaced', reason, ...names } })
  update(step, {
    object,
    replacements,
    gameCalled: false,
    reservedUntil: undefined,
    gone: false,
    goneAt: undefined,
    readyAt: undefined,
    ending: undefined,
    process: createProcess(config, object, at, false),
  })
}

type ReplacementReason = Extract<Change, { readonly type: 'replaced' }>['reason']
