import type { Patient } from './patient.js'

export type Group = 'Environment' | 'Reach' | 'Watch' | 'GameServer' | 'File' | 'Beats' | 'Cluster'

/** The outcome of a check: in order; worth knowing; wrong; or not looked at, with the reason. */
export interface Finding {
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  readonly text: string
  /** What to do about it. */
  readonly fix?: string
}

export const ok = (text: string): Finding => ({ status: 'ok', text })
export const warning = (text: string, fix: string): Finding => ({ status: 'warning', text, fix })
export const failure = (text: string, fix: string): Finding => ({ status: 'failure', text, fix })
export const skipped = (text: string): Finding => ({ status: 'skipped', text })

/** One question to the world, and the function that answers it. */
export interface Check {
  /** For `--json`. */
  readonly id: string
  readonly group: Group
  readonly run: (patient: Patient) => Finding | Promise<Finding>
}

/** A check of something that may not be there; it is skipped then, for the reason given. */
export const needing =
  <T>(
    find: (patient: Patient) => Promise<T | undefined>,
    reason: string,
    run: (found: T, patient: Patient) => Finding | Promise<Finding>,
  ): Check['run'] =>
  async (patient) => {
    const found = await find(patient)
    return found === undefined ? skipped(reason) : run(found, patient)
  }

/** Says what is wrong with health settings; undefined where a game has time enough. */
export function healthWarning(disabled: unknown, period: number): Finding | undefined {
  if (disabled === true) {
    return warning('health checks are off, so a game that hangs stays in play', 'set spec.health.disabled to false')
  }
  if (period >= 2) return undefined
  const told = `a beat must come every ${period} s, which a short pause misses`
  return warning(told, 'set spec.health.periodSeconds to 2 or more')
}
